import type { Bench } from '../bench.js';
import { interleave, lineOf } from '../measuring/rounds.js';
import type { Figure } from '../reporting/figure.js';
import { measureWhole, type WholeSetting } from './whole-run.js';

const ROUNDS = 3;

const SETTINGS: readonly WholeSetting[] = (['https', 'http'] as const).flatMap((scheme) =>
  [1, 10, 100].flatMap((fanOut) => [1, 1_000].map((aRequest) => ({ scheme, fanOut, aRequest }))),
);
const QUICK_SETTINGS: readonly WholeSetting[] = [{ scheme: 'http', fanOut: 10, aRequest: 1 }];

const COLUMNS: readonly (readonly [figure: string, column: string, digits: number])[] = [
  ['perSecond', 'webhooks per second', 0],
  ['all', 'CPU per webhook, µs', 0],
  ['toBare', 'CPU relative to the bare loop', 2],
  ['firstP50', 'idle, to the first arrival, p50, ms', 1],
  ['firstP99', 'p99, ms', 1],
  ['lastToFirst', 'last to first (limit 3 with fan-out 10)', 1],
  ['most', 'services, maximum memory, MB (limit 400)', 0],
  ['mostOnce', 'shared pages counted once, MB', 0],
  ['idleMb', 'idle, MB (limit 260)', 0],
  ['idleOnceMb', 'idle, shared pages counted once, MB', 0],
];

function atMostOf(figure: string, setting: string): number | undefined {
  if (figure === 'most') return 400;
  if (figure === 'idleMb') return 260;
  return figure === 'lastToFirst' && setting.includes('fan-out 10,') ? 3 : undefined;
}

export const wholeBench: Bench = {
  title: 'A change, end to end',
  method: `
Every service runs as in production: a separate process reports changes to change-ingest, one per request over 32 connections or
1,000 per request over two. One worker and the egress proxy deliver them to receivers that respond 204 at once. A dashboard creates
emails about the changes, five seconds after the first. All share the machine. Each run has fresh stores and services. Each change
matches one of ten destinations (fan-out 1), all ten, or all hundred.

- **Webhooks a second**: from the first report to the last arrival.
- **CPU per webhook**: user and system time of the processes until everything is settled: services (worker, change-ingest,
  egress-proxy, api) and stores (PostgreSQL, Redis). The raw output has feeder and receiver.
- **The bare loop** posts the same bytes through the same proxy to the same receivers with Node's client, a hundred at once, before
  each run: its CPU is 1.00.
- **Idle**: one change every 50 ms; from the response of change-ingest to the arrival.
- **Memory**: resident size of the four services together, the maximum under load, and three seconds after the idle changes. The
  second figure (PSS) counts shared pages once: some 50 MB of Node's program.`,
  async run(options) {
    const { quick, only, say } = options;
    const chosen = quick ? QUICK_SETTINGS : SETTINGS;
    const variants = chosen
      .map((setting) => ({ name: nameOf(setting), measure: () => measureWhole(setting, options) }))
      .filter(({ name }) => name.includes(only ?? ''));
    const rounds = await interleave(variants, quick || only !== undefined ? 1 : ROUNDS, (round) => say(lineOf(round)));
    return variants.flatMap(({ name }) =>
      COLUMNS.map(
        ([figure, column, digits]): Figure => ({
          name,
          column,
          digits,
          value: rounds.spread(figure, name),
          atMost: atMostOf(figure, name),
        }),
      ),
    );
  },
};

function nameOf({ scheme, fanOut, aRequest }: WholeSetting): string {
  return `${scheme}, fan-out ${fanOut}, ${aRequest === 1 ? 'one change' : `${aRequest} changes`} per request`;
}
