import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import { runBench } from './run-bench.js';

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  api: async () => (await import('./api/api-bench.js')).apiBench,
  isolation: async () => (await import('./api/isolation-bench.js')).isolationBench,
  dashboard: async () => (await import('./dashboard/dashboard-bench.js')).dashboardBench,
  compare: async () => (await import('./compare/compare-bench.js')).compareBench,
  polling: async () => (await import('./polling/polling-bench.js')).pollingBench,
  fairness: async () => (await import('./polling/fairness-bench.js')).fairnessBench,
  depth: async () => (await import('./polling/depth-bench.js')).depthBench,
  backlog: async () => (await import('./backlog/backlog-bench.js')).backlogBench,
  memory: async () => (await import('./delivery/memory-bench.js')).memoryBench,
  flood: async () => (await import('./delivery/flood-bench.js')).floodBench,
  mails: async () => (await import('./mails/mails-bench.js')).mailsBench,
  whole: async () => (await import('./whole/whole-bench.js')).wholeBench,
  delivery: async () => (await import('./delivery/delivery-bench.js')).deliveryBench,
};

const usage = `Usage: pnpm bench NAME [--quick] [--minutes N] [--only TEXT] [--profile DIR]

NAME         ${Object.keys(benches).join(', ')}
--quick      few rows and short rounds; only checks that the benchmark works, and writes nothing
--minutes    duration of the load in benchmarks that detect a trend
--only       whole: only settings whose name contains this text, in one round; dashboard: only pages with these paths
             (/,/artists/:artist); writes nothing
--profile    directory for CPU profiles of the measured programs
`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      only: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const [name = '', ...others] = positionals;
  const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!load || others.length > 0) throw new TypeError(`There is no benchmark "${positionals.join(' ')}".`);
  const command = ['pnpm bench', ...process.argv.slice(2)].join(' ');
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0)) throw new TypeError(`"${values.minutes}" is not a number of minutes.`);
  const passed = await runBench(name, await load(), {
    command,
    quick: values.quick,
    minutes,
    only: values.only,
    profileDirectory: values.profile,
  });
  process.exitCode = passed ? 0 : 1;
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = 1;
}
