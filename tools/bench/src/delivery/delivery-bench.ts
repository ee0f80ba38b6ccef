import type { Bench, BenchOptions } from '../bench.js';
import { median, quantile } from '../measuring/statistics.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { yardstick } from './bare-loop.js';
import { measureCost } from './cost.js';
import { clearDeliveries, type DeliveryServers, onDeliveryServers } from './delivery-servers.js';
import { measureIsolation } from './isolation.js';
import { seedDestinations } from './seed-destinations.js';

type Measure = (servers: DeliveryServers) => Promise<readonly Figure[]>;

export const deliveryBench: Bench = {
  title: 'Delivering webhooks',
  method: `
The whole of the product takes part: changes are reported to change-ingest; a worker claims their deliveries, signs,
posts through the egress proxy to an https receiver, and settles in PostgreSQL, which keeps its promises about disks. What is measured has a core to itself; PostgreSQL, Redis, the proxy, the receiver, change-ingest and the
benchmark share the others.

- **Cost.** The bare loop posts the same bytes, signed beforehand, over the same kind of kept-alive tunnels, to the same
  receiver, as many at once as the worker: no queue, no database, no log. Worker and bare loop take turns. CPU is that of
  the process alone, user and system. All deliveries wait before a worker starts; how many it makes while changes are
  reported besides is a figure of its own. A run fails when a delivery was dropped, sent twice, or has no attempt on record.
- **Two workers.** The second one shares its core with everything else; the shares of a core say what is full.
- **Idle latency.** From the moment a change is reported until its webhook is at the receiver, one change at a time.
- **Yardstick.** The bare loop again, with the core of what is measured to itself, in front of the times.
- **Isolation.** One worker process. One destination hangs with thousands of deliveries due, one answers at 90% of the
  timeout; a hundred healthy ones get their webhooks at a steady pace. The same without the two, before and afterwards;
  each phase after a pause, so that each begins with new connections. Eight changes go first that do not count.`,
  async run(options) {
    leaveMeasuredCore();
    const latencies = async (servers: DeliveryServers) => [
      ...(await yardstick(servers, options)),
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
    // That a part finds nothing of the one before it matters to its figures alone.
    if (options.quick) await measureOn(parts);
    else for (const measure of parts) await measureOn([measure]);
    return figures;
  },
};

const EVERY_MS = 200;
const WARM_UP = 20;

/** How long a change takes to its first attempt on an idle installation. */
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
  say(`idle, ${changes} changes, one each ${EVERY_MS} ms: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  return [
    { name: 'change to first attempt, idle: p50', value: p50, unit: 'ms', digits: 1, atMost: 50 },
    { name: 'change to first attempt, idle: p99', value: p99, unit: 'ms', digits: 1, atMost: 250 },
  ];
}
