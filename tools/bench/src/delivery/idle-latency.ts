import type { BenchOptions } from '../bench.js';
import { median, quantile } from '../measuring/statistics.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { clearDeliveries } from './clear-deliveries.js';
import type { DeliveryServers } from './delivery-servers.js';
import { seedDestinations } from './seed-destinations.js';

export interface LatencyExtent {
  readonly changes: number;
}

const EVERY_MS = 200;
const WARM_UP = 20;

/** How long a change takes to its first attempt on an idle installation. */
export async function measureIdleLatency(
  servers: DeliveryServers,
  { changes }: LatencyExtent,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const artist = 'quiet';
  const urls = servers.receiverUrls.slice(0, 1).map((url) => `${url}/ok`);
  await seedDestinations(servers.pool, { artist, urls, count: 1, box: servers.box });
  const worker = await servers.startWorker('worker-idle');
  await timeArrivals(servers, { artist, destinations: 1, changes: WARM_UP, everyMs: EVERY_MS / 4 });
  const tookMs = await timeArrivals(servers, { artist, destinations: 1, changes, everyMs: EVERY_MS });
  await worker.stop();
  await clearDeliveries(servers);
  const [p50, p99] = [median(tookMs), quantile(tookMs, 0.99)];
  say(`idle, ${changes} changes, one each ${EVERY_MS} ms: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  return [
    { name: 'change to first attempt, idle: p50', value: p50, unit: 'ms', digits: 1, limit: { atMost: 50 } },
    { name: 'change to first attempt, idle: p99', value: p99, unit: 'ms', digits: 1, limit: { atMost: 250 } },
  ];
}
