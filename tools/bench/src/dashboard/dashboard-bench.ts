import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { seedDataset } from '../api/dataset.js';
import type { Bench } from '../bench.js';
import { inCheckout } from '../checkout.js';
import { getRequest } from '../load/get-request.js';
import { HttpConnection } from '../load/http-connection.js';
import { interleave, type Round, ratioOfFigure, spreadOfFigure } from '../measuring/rounds.js';
import { median } from '../measuring/statistics.js';
import { type DataServers, startDataServers } from '../processes/data-servers.js';
import { imageCommand } from '../processes/image-command.js';
import { type MeasuredProcess, startMeasured } from '../processes/measured-process.js';
import { openPool } from '../processes/open-pool.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { pagesOf, type ShownPage, type Watcher, watchersOf } from './shown-pages.js';

const FULL = { changes: 10_000, rounds: 3, requests: 120 };
const QUICK = { changes: 2_500, rounds: 1, requests: 2 };

export const dashboardBench: Bench = {
  title: "The dashboard's pages",
  method: `
Every page that a member can open by its path, of one account that watches 10 artists and of one that watches 500, each with
1,000 changes of the last 23 hours. Statements are counted between the dashboard and PostgreSQL, finding the session included.
The bare handler is express, a pool and one prepared statement that reads the very bytes of the page. Both are asked one request
after the other, in turn, round by round; the time is that to the whole answer, which the dashboard sends in one piece. A ratio
is taken of two neighbouring rounds, and shown is the median of the ratios.`,

  async run({ quick, profileDirectory, say }) {
    leaveMeasuredCore();
    const extent = quick ? QUICK : FULL;
    const data = await startDataServers({}, { postgresOnAllCores: true });
    const started: MeasuredProcess[] = [];
    const start = async (name: string, databaseUrl: string, command = imageCommand('dashboard')) => {
      const server = await startMeasured({
        name,
        main: inCheckout(command.main),
        options: command.options,
        env: { ...process.env, NODE_ENV: 'production', ...command.env, ...settings(data, databaseUrl) },
        logFile: path.join(data.directory, `${name}.log`),
        profileDirectory,
      });
      started.push(server);
      return Number(server.addresses.dashboard);
    };
    try {
      const databaseUrl = await data.copyDatabase(data.databaseUrl, 'dashboard');
      const pool = openPool(databaseUrl, 2);
      const dataset = await seedDataset(pool, extent.changes);
      const watchers = await watchersOf(pool, dataset);
      const statements = recordStatements();
      const relay = await startRelay(databaseUrl, statements.observe);
      const counting = await start('dashboard-counting', relay.url);
      const pages = await pagesOf(pool, counting, watchers);
      await pool.end();
      const counted = await countStatements(counting, pages, statements.take);
      await started.pop()?.stop();
      await relay.close();

      const ports = {
        dashboard: await start('dashboard', databaseUrl),
        bare: await start('bare-express', databaseUrl, {
          main: 'tools/bench/dist/dashboard/bare-pages-main.js',
          options: [],
        }),
      };
      const rounds = await measure(pages, ports, extent, say);
      return pages.flatMap((page) => figuresOf(page, counted.get(page.path) ?? 0, rounds));
    } finally {
      await Promise.all(started.map((server) => server.stop()));
      await data.stop();
    }
  },
};

function settings(data: DataServers, databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: data.redisUrl,
    DASHBOARD_PORT: '0',
    OPS_PORT: '0',
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'mail@artist-watch.example',
  };
}

/** The most that one request of a page needed, once its session and its plans are known. */
async function countStatements(port: number, pages: readonly ShownPage[], take: () => string[]) {
  const counts = new Map<string, number>();
  const connection = await HttpConnection.open(port);
  for (const page of pages) {
    for (let turn = 0; turn < 3; turn += 1) {
      take();
      await ask(connection, requestOf(page, 'fiveHundred', port));
      const own = take().filter((statement) => !BESIDE.test(statement));
      if (turn > 0) counts.set(page.path, Math.max(counts.get(page.path) ?? 0, own.length));
    }
  }
  connection.close();
  return counts;
}

/** The mails that the same process makes and sends now and then. */
const BESIDE = /mail|digest|BEGIN|COMMIT|ROLLBACK/i;

async function measure(
  pages: readonly ShownPage[],
  ports: { readonly dashboard: number; readonly bare: number },
  extent: typeof FULL,
  say: (line: string) => void,
): Promise<Round[]> {
  const variants = pages.flatMap((page) =>
    (['ten', 'fiveHundred', 'bare'] as const).map((kind) => ({
      name: `${page.path}, ${kind}`,
      async measure() {
        const port = kind === 'bare' ? ports.bare : ports.dashboard;
        const request = requestOf(page, kind === 'ten' ? 'ten' : 'fiveHundred', port);
        const connection = await HttpConnection.open(port);
        const latencies: number[] = [];
        for (let count = 0; count < extent.requests; count += 1) {
          const startedAtMs = performance.now();
          await ask(connection, request);
          latencies.push(performance.now() - startedAtMs);
        }
        connection.close();
        return { p50Ms: median(latencies) };
      },
    })),
  );
  // Compiled code, open connections, prepared statements.
  for (const variant of variants) await variant.measure();
  return interleave(variants, extent.rounds, ({ variant, round, figures }) =>
    say(`${variant}, round ${round}: p50Ms ${figures.p50Ms?.toFixed(2)}`),
  );
}

function figuresOf({ path: name, html }: ShownPage, statements: number, rounds: readonly Round[]): Figure[] {
  const variant = (kind: string) => `${name}, ${kind}`;
  return [
    { name, column: 'statements', value: statements, digits: 0, limit: { atMost: 6 } },
    {
      name,
      column: 'HTML, gzipped',
      value: gzipSync(html).length / 1_000,
      unit: 'kB',
      digits: 1,
      limit: { atMost: 40 },
    },
    { name, column: 'median', value: spreadOfFigure(rounds, variant('fiveHundred'), 'p50Ms'), unit: 'ms' },
    {
      name,
      column: 'to bare express',
      value: ratioOfFigure(rounds, 'p50Ms', variant('fiveHundred'), variant('bare')),
      limit: { atMost: 3 },
    },
    {
      name,
      column: '500 artists to 10',
      value: ratioOfFigure(rounds, 'p50Ms', variant('fiveHundred'), variant('ten')),
      limit: { atMost: 1.5 },
    },
  ];
}

function requestOf(page: ShownPage, watcher: keyof ShownPage['of'], port: number): Uint8Array {
  const { address, cookie } = page.of[watcher] as Watcher & { address: string };
  // Another Host than its own is refused.
  return getRequest(address, { Host: `127.0.0.1:${port}`, Cookie: cookie });
}

async function ask(connection: HttpConnection, request: Uint8Array): Promise<void> {
  const status = await connection.request(request);
  if (status !== 200) throw new Error(`A page was answered ${status}.`);
}
