import type { Bench } from '../bench.js';
import { interleave, lineOf, type Round, Rounds } from '../measuring/rounds.js';
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
request over 32 connections or 1,000 in each over two; the relay, one worker and the egress proxy bring them to receivers
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

What cost most, and what was done about it:

- **One change in each request**: 5,855 µs a webhook, half of them in PostgreSQL, because each change was a transaction of its
  own. Changes that arrive together now share one, and the first deliveries to an idle destination go to the queue straight
  from the commit ([ADR 38](../adr/0038-from-commit-to-queue.md)).
- **PostgreSQL read every change that the artist ever had** for each group that it recorded: 1,083 µs a webhook, 327 since
  the changes are looked up by their ids first.
- **Memory**: 660 MB at most and 570 when idle. Most of it was garbage that nobody had collected, and modules that a service
  never used ([ADR 17](../adr/0017-garbage.md)). The limits, 400 and 260 MB, are missed by the sum of resident sizes, of which
  200 MB are the program text of Node, counted four times: four processes of Node that do nothing have 170 MB. Counted
  once, 400 MB holds in every setting, and 260 MB in none; ten quiet seconds later change-ingest has 16 MB less.
- **Many small statements and writes**: claims, settlements and groups of changes went to PostgreSQL two at a time, each half
  as large as it could be; every command to Redis was a write of its own
  ([ADR 24](../adr/0024-lean-where-it-counts.md), [38](../adr/0038-from-commit-to-queue.md)). The relay's statement was planned
  at each look, which took as long as to hand eight deliveries over, and a success was settled by all that a failure decides:
  a third of what PostgreSQL takes for each is gone
  ([ADR 24](../adr/0024-lean-where-it-counts.md)).
- **Room for others costs throughput**: a bound on what a flood may have in the queue, the same for one destination and for
  ten, halved what ten destinations got in batches (957 webhooks a second, 1,170 µs; 1,696 and 808 since it counts the
  destinations, [ADR 30](../adr/0030-two-places-to-wait.md)). It still costs them a tenth (http, fan-out 1, 1,000 changes a
  request, in turns, rounds of two commits): 551, 648, 759 and 603, 623, 640 µs with it, 505, 526, 545 and 595, 572, 533
  without. Tried and left: no bound from eight, or four, destinations on, which showed no clear gain.
- **Tunnels that a burst opens**: a batch of claims is sent at once, and needs a tunnel for each. Where they are not needed
  again within four seconds they are closed, and the next burst shakes hands again: a quarter of the worker's time in a
  profile on a crowded machine, where bursts are far apart. Tried and left: requests of a burst that wait 10 ms for each
  other's tunnels. On a crowded machine who had waited opened one all the same, those that were not needed for four seconds
  were closed, and twice as many were opened as before.
- **Plans**: PostgreSQL planned settlements, feed rows and deliveries anew nearly each time, which took it as long as to write
  one of them ([ADR 19](../adr/0019-plans-of-small-tables.md)).
- **Mails**: this benchmark left out the dashboard. Beside it 20,000 critical changes took PostgreSQL 1,600 µs a webhook more,
  since the statement that makes mails compared each of them with each; it looks at each once now.
- **Idle latency**: a worker of BullMQ began a job only when it had asked for another one; it begins it first now
  ([ADR 30](../adr/0030-two-places-to-wait.md)): 2.7, 2.7, 3.2 and 3.1 ms from the answer to the arrival before (p50, http,
  fan-out 1), 2.3, 3.1 and 2.3 ms after, in turns; in batches 603, 623 and 640 µs a webhook, 665, 732 and 611 in BullMQ's own
  order. The rest is eight hand-overs between processes of 0.1 to 0.6 ms each: Redis wakes the worker, it fetches, claims,
  and posts through the proxy.
- **A tenth of change-ingest's CPU** for a request with one change went into express' body reader, a decoder for each body,
  and random bytes for each id ([ADR 24](../adr/0024-lean-where-it-counts.md)).
- **What did not pay** in PostgreSQL (CPU of its process, 16 changes recorded, relayed, claimed and settled at a time, three
  rounds in turns: 83, 30, 22 and 36 µs a webhook): \`fillfactor\` 70 or 50 for deliveries, no foreign keys, an index less,
  cheaper ids. All are within the noise of 5%.
- **What is left** is spread out: of a webhook in batches the worker takes a third (TLS, the tunnel, BullMQ, the claim and the
  settlement), PostgreSQL as much (a row for the delivery, its marks and its attempt), change-ingest a fifth, Redis a
  tenth.
- **What the queue takes by itself**: a job of bare BullMQ that does nothing, added fourteen at a time and taken by eight workers
  with ioredis as it is, some 1,330 a second, cost 400, 396 and 411 µs of CPU in three runs on a quiet machine: Redis 150, the
  worker 181, the process that adds it 71. Here the commands of a turn share their writes, so it is less. Larger groups of
  changes, claims and settlements cost as much ([ADR 38](../adr/0038-from-commit-to-queue.md)).`,
  async run(options) {
    const { quick, only, earlier, say } = options;
    const chosen = quick ? QUICK_SETTINGS : SETTINGS;
    const variants = chosen
      .map((setting) => ({ name: nameOf(setting), measure: () => measureWhole(setting, options) }))
      .filter(({ name }) => name.includes(only ?? ''));
    for (const line of earlier ?? []) say(line);
    const before = (earlier ?? []).flatMap(roundOf);
    const isOneMore = earlier !== undefined || only !== undefined;
    const measured = await interleave(variants, quick || isOneMore ? 1 : ROUNDS, ({ variant, figures, ...of }) => {
      const round = of.round + Math.max(0, ...before.map((earlierRound) => earlierRound.round));
      say(lineOf({ variant, round, figures }));
    });
    const rounds = new Rounds([...before, ...measured.all]);
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

/** What a line of the raw figures says of a round; nothing where it is another line. */
function roundOf(line: string): Round[] {
  const [, variant, round, figures] = /^(.*), round (\d+): (.*)$/.exec(line) ?? [];
  if (variant === undefined || figures === undefined) return [];
  const pairs = figures.split(', ').map((pair): [string, number] => {
    const at = pair.lastIndexOf(' ');
    return [pair.slice(0, at), Number(pair.slice(at + 1))];
  });
  return [{ variant, round: Number(round), figures: Object.fromEntries(pairs) }];
}

function nameOf({ scheme, fanOut, aRequest }: WholeSetting): string {
  return `${scheme}, fan-out ${fanOut}, ${aRequest === 1 ? 'one change' : `${aRequest} changes`} a request`;
}
