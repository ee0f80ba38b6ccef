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
  ['perSecond', 'webhooks a second', 0],
  ['services', 'CPU a webhook, services, µs', 0],
  ['stores', 'stores, µs', 0],
  ['all', 'all, µs', 0],
  ['toBare', 'all, to the bare loop', 2],
  ['firstP50', 'idle, answer to first arrival, p50, ms', 1],
  ['firstP99', 'p99, ms', 1],
  ['lastP50', 'to the last arrival, p50, ms', 1],
  ['lastToFirst', 'last to first', 1],
  ['most', 'services, memory at most, MB', 0],
  ['mostOnce', 'shared pages counted once, MB', 0],
  ['idleMb', 'idle, MB', 0],
  ['idleOnceMb', 'idle, shared pages counted once, MB', 0],
];

function atMostOf(figure: string, setting: string): number | undefined {
  if (figure === 'most') return 400;
  if (figure === 'idleMb') return 260;
  return figure === 'lastToFirst' && setting.includes('fan-out 10,') ? 3 : undefined;
}

export const wholeBench: Bench = {
  title: 'The whole way of a change',
  method: `
Everything takes part, as it is installed: changes are reported to change-ingest by a process of its own, one in each
request over 32 connections or 1,000 in each over two; one worker and the egress proxy bring them to receivers
that answer 204 at once; every attempt is on record, and a dashboard beside them makes mails of the changes, five seconds after
the first. All share the machine, nothing is tied to a core. Each run has fresh
stores and services. Either ten destinations want a change each in turn (fan-out 1), or all ten or all hundred want each.

- **Webhooks a second**: from the first report to the last arrival.
- **CPU a webhook**: user and system, from \`/proc\`, of whole process trees until all is settled and quiet: the services
  (worker, change-ingest, egress-proxy, api) and the stores (PostgreSQL, Redis). Feeder and receiver are in the raw figures.
- **The bare loop** posts the same bytes through the same proxy to the same receivers with Node's own client, a hundred at
  once, before each run: its own CPU and nothing else is 1.00. Figures of different hours compare by this.
- **Idle**: one change each 50 ms and nothing else; from the answer of change-ingest to the arrival.
- **Memory**: resident size of the four services together, at most under load, and three seconds after the idle changes. All
  four map the program text of Node, some 50 MB, which the machine holds once: hence the second figure (PSS).

[What cost most, and what was done about it](whole-findings.md).`,
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
  return `${scheme}, fan-out ${fanOut}, ${aRequest === 1 ? 'one change' : `${aRequest} changes`} a request`;
}
