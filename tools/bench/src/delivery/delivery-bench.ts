import type { Bench, BenchOptions } from '../bench.js';
import { median, quantile } from '../measuring/statistics.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { measureReference } from './bare-loop.js';
import { measureCost } from './cost.js';
import { clearDeliveries, type DeliveryServers, onDeliveryServers } from './delivery-servers.js';
import { measureIsolation } from './isolation.js';
import { seedDestinations } from './seed-destinations.js';

type Measure = (servers: DeliveryServers) => Promise<readonly Figure[]>;

export const deliveryBench: Bench = {
  title: 'Delivering webhooks',
  method: `
The whole product runs: changes are reported to change-ingest; a worker claims their deliveries, signs them, posts them through
the egress proxy to an https receiver, and settles in PostgreSQL with durable commits. The measured process has a separate core;
PostgreSQL, Redis, proxy, receiver, change-ingest and the benchmark share the others.

- **Cost.** The bare loop posts the same bytes, signed beforehand, over the same kind of kept-alive tunnels, to the same
  receiver, with the same concurrency: no queue, database or log. Worker and bare loop alternate. CPU is user and system time of
  the process alone. All deliveries wait before a worker starts; a separate figure has reports during delivery. A run fails if a
  delivery is lost, sent twice, or has no attempt.
- **Two workers.** The second one shares its core with everything else; the shares show which process is saturated.
- **Idle latency.** From the report of a change until its webhook is at the receiver, one change at a time.
- **Reference.** The bare loop on a separate core, before the latencies.
- **Isolation.** One worker. One destination hangs with thousands of deliveries due, one responds at 90% of the timeout; a
  hundred healthy ones get webhooks at a steady pace. The same without the two, before and after. Each phase starts with new
  connections, and its first eight changes do not count.`,
  async run(options) {
    leaveMeasuredCore();
    const latencies = async (servers: DeliveryServers) => [
      ...(await measureReference(servers, options)),
      ...(await measureIdleLatency(servers, options)),
    ];
    const parts: readonly Measure[] = [
      (servers) => measureCost(servers, options),
      latencies,
      (servers) => measureIsolation(servers, options),
    ];
    const figures: Figure[] = [];
    const measureOn = (measures: readonly Measure[]) =>
      onDeliveryServers({ profileDirectory: options.profileDirectory }, async (servers) => {
        for (const measure of measures) figures.push(...(await measure(servers)));
      });
    if (options.quick) await measureOn(parts);
    else for (const measure of parts) await measureOn([measure]);
    return figures;
  },
};

const EVERY_MS = 200;
const WARM_UP = 20;

async function measureIdleLatency(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const changes = quick ? 5 : 300;
  const artist = 'quiet';
  const { pool, okUrls: urls, box } = servers;
  await seedDestinations(pool, { artist, urls, count: 1, box });
  const worker = await servers.startWorker('worker-idle');
  await timeArrivals(servers, { artist, destinations: 1, changes: WARM_UP, everyMs: EVERY_MS / 4 });
  const tookMs = await timeArrivals(servers, { artist, destinations: 1, changes, everyMs: EVERY_MS });
  await worker.stop();
  await clearDeliveries(servers);
  const [p50, p99] = [median(tookMs), quantile(tookMs, 0.99)];
  say(`idle, ${changes} changes, one every ${EVERY_MS} ms: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  return [
    { name: 'change to first attempt, idle: p50', value: p50, unit: 'ms', digits: 1, atMost: 50 },
    { name: 'change to first attempt, idle: p99', value: p99, unit: 'ms', digits: 1, atMost: 250 },
  ];
}
