import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench.js';
import { median, quantile } from '../measuring/statistics.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { clearDeliveries } from './clear-deliveries.js';
import type { DeliveryServers } from './delivery-servers.js';
import { seedDestinations } from './seed-destinations.js';
import { tellChanges } from './tell-changes.js';

export interface FloodExtent {
  readonly others: number;
  /** Changes at once for one destination that answers within `ANSWER_MS`. */
  readonly flood: number;
  readonly floods: number;
  /** For the others, while each flood lasts. */
  readonly changes: number;
}

const ANSWER_MS = 20;
const EVERY_MS = 100;
const LOOK_EVERY_MS = 500;

/** How long webhooks to others take while one quick destination has thousands due, beside how long they take without. */
export async function measureFlood(
  servers: DeliveryServers,
  { others, flood, floods, changes }: FloodExtent,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const [toFlooded = '', ...toOthers] = servers.receiverUrls;
  const seed = (artist: string, urls: readonly string[], count: number) =>
    seedDestinations(servers.pool, { artist, urls, count, box: servers.box });
  await seed(
    'others',
    toOthers.map((url) => `${url}/ok`),
    others,
  );
  await seed('flooded', [`${toFlooded}/after/${ANSWER_MS}`], 1);
  const worker = await servers.startWorker('worker-flood');
  const time = () => timeArrivals(servers, { artist: 'others', destinations: others, changes, everyMs: EVERY_MS });
  const flooding = (round: number) =>
    tellChanges(
      servers.ingest,
      Array.from({ length: flood }, (_, index) => ({ artist: 'flooded', entityId: `flood-${round}-${index}` })),
    );

  // The first ones find nothing compiled and no statement planned.
  await Promise.all([time(), flooding(0)]);
  while (await isFlooded(servers)) await sleep(LOOK_EVERY_MS);
  const [without, beside]: [number[], number[]] = [[], []];
  for (let round = 1; round <= floods; round += 1) {
    without.push(...(await time()));
    const [tookMs] = await Promise.all([time(), flooding(round)]);
    beside.push(...tookMs);
    while (await isFlooded(servers)) await sleep(LOOK_EVERY_MS);
  }
  await worker.stop();
  await clearDeliveries(servers);
  const p95 = { without: quantile(without, 0.95), beside: quantile(beside, 0.95) };
  for (const [phase, tookMs] of Object.entries({ without, beside })) {
    const figures = `p50 ${median(tookMs).toFixed(1)} ms, p95 ${quantile(tookMs, 0.95).toFixed(1)} ms`;
    say(`${phase} the flood: ${tookMs.length} webhooks, ${figures}`);
  }
  return [
    { name: `${others} others without a flood: p95`, value: p95.without, unit: 'ms', digits: 1 },
    {
      name: `the same beside ${flood} changes for one quick destination: p95`,
      value: p95.beside,
      unit: 'ms',
      digits: 1,
    },
    { name: 'p95 beside the flood to p95 without it', value: p95.beside / p95.without, limit: { atMost: 3 } },
  ];
}

async function isFlooded({ pool }: DeliveryServers): Promise<boolean> {
  const { rowCount } = await pool.query(`SELECT FROM deliveries WHERE state = 'pending' LIMIT 1`);
  return rowCount !== 0;
}
