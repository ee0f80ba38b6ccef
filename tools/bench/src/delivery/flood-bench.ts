import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchOptions } from '../bench.js';
import { type Figures, interleave } from '../measuring/rounds.js';
import { median, quantile } from '../measuring/statistics.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { measureReference } from './bare-loop.js';
import { clearDeliveries, type DeliveryServers, onDeliveryServers } from './delivery-servers.js';
import { numberedChanges, reportChanges } from './report-and-receive.js';
import { seedDestinations } from './seed-destinations.js';

/**
 * `flood` is the number of concurrent changes for a single destination. Each of the other destinations gets `changes`
 * changes per round.
 */
const FULL = { others: 20, flood: 2_000, rounds: 9, changes: 20, slow: 10, slowMs: 9_500, slowChanges: 300 };
const QUICK: typeof FULL = { ...FULL, others: 5, flood: 200, rounds: 1, changes: 5, slowMs: 100, slowChanges: 20 };

export const floodBench: Bench = {
  title: 'The effect of a flood for one destination',
  method: `
The whole product runs, as in [delivery](delivery.md). One destination that responds after 20 ms gets 2,000 changes at once,
while twenty others get theirs at a steady pace; rounds with and without the flood alternate. The time is from the report of a
change to the arrival of its webhook, and the p95 is over the 400 webhooks of a round. The worker has one core, everything else
shares the other. The reference is the bare loop of [delivery](delivery.md), measured first.

Afterwards ten destinations of one account delay each response by 9.5 s and get 300 changes. After 30 s, when they have their
maximum of requests in flight, the others are timed again.`,
  run(options) {
    leaveMeasuredCore();
    return onDeliveryServers({ profileDirectory: options.profileDirectory }, async (servers) => [
      ...(await measureReference(servers, options)),
      ...(await measureFlood(servers, options.quick ? QUICK : FULL, options)),
    ]);
  },
};

const ANSWER_MS = 20;
const EVERY_MS = 100;
const CHECK_EVERY_MS = 500;
const WITHOUT = 'without';
const BESIDE = 'with';

async function measureFlood(
  servers: DeliveryServers,
  { others, flood, rounds, changes, slow, slowMs, slowChanges }: typeof FULL,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const { pool, box } = servers;
  await seedDestinations(pool, { artist: 'others', urls: servers.okUrls.slice(1), count: others, box });
  const flooded = `${servers.receiverUrls[0]}/after/${ANSWER_MS}`;
  await seedDestinations(pool, { artist: 'flooded', urls: [flooded], count: 1, box });
  const worker = await servers.startWorker('worker-flood');
  const time = () => timeArrivals(servers, { artist: 'others', destinations: others, changes, everyMs: EVERY_MS });
  let floods = 0;
  const timeBesideFlood = async () => {
    const reported = numberedChanges('flooded', `flood-${++floods}`, flood);
    const [tookMs] = await Promise.all([time(), reportChanges(servers.ingest, reported)]);
    while (await servers.isAny('pending')) await sleep(CHECK_EVERY_MS);
    return tookMs;
  };

  // Lets V8 compile the code and PostgreSQL plan the statements.
  await timeBesideFlood();
  const figuresOf = (tookMs: number[]): Figures => ({ p50: median(tookMs), p95: quantile(tookMs, 0.95) });
  const measured = await interleave(
    [
      { name: WITHOUT, measure: async () => figuresOf(await time()) },
      { name: BESIDE, measure: async () => figuresOf(await timeBesideFlood()) },
    ],
    rounds,
    ({ variant, round, figures: { p50 = 0, p95 = 0 } }) =>
      say(`${variant} the flood, round ${round}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`),
  );

  const slowUrl = `${servers.receiverUrls[0]}/after/${slowMs}`;
  await seedDestinations(pool, { artist: 'slow', urls: [slowUrl], count: slow, box });
  await reportChanges(servers.ingest, numberedChanges('slow', 'slow', slowChanges));
  // The window grows with each response and reaches its maximum after the third.
  await sleep(3 * slowMs + EVERY_MS);
  const p90 = quantile(await time(), 0.9);
  say(`with ${slow} slow destinations of one account: p90 ${p90.toFixed(1)} ms`);
  await worker.stop();
  await clearDeliveries(servers);
  const p95 = (variant: string) => ({ value: measured.spread('p95', variant), unit: 'ms', digits: 1 });
  const ratio = measured.ratio('p95', BESIDE, WITHOUT);
  return [
    { name: `${others} other destinations without a flood: p95`, ...p95(WITHOUT) },
    { name: `other destinations during ${flood} changes for one fast destination: p95`, ...p95(BESIDE) },
    { name: 'p95 with the flood relative to p95 without it', value: ratio, atMost: 3 },
    {
      name: `other destinations while ${slow} destinations of one account take ${slowMs} ms to respond: p90`,
      value: p90,
      unit: 'ms',
      digits: 1,
      atMost: 1_000,
    },
  ];
}
