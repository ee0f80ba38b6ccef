import type { Bench, BenchOptions } from '../bench.js';
import { median, quantile } from '../measuring/statistics.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { yardstick } from './bare-loop.js';
import { type CostExtent, measureCost } from './cost.js';
import { clearDeliveries, type DeliveryServers, type Settings, startDeliveryServers } from './delivery-servers.js';
import { type IsolationExtent, measureIsolation } from './isolation.js';
import { seedDestinations } from './seed-destinations.js';

interface Extent {
  readonly cost: CostExtent;
  readonly latency: LatencyExtent;
  readonly isolation: IsolationExtent;
}

const FULL: Extent = {
  cost: { rounds: 5, destinations: 200, changes: 250, concurrency: 256, bareWarmUpMs: 2_000, bareMs: 4_000 },
  latency: { changes: 300 },
  isolation: { healthy: 100, changes: 60, hung: 3_000, slow: 200, timeoutMs: 10_000 },
};
const QUICK: Extent = {
  cost: { rounds: 1, destinations: 10, changes: 10, concurrency: 4, bareWarmUpMs: 100, bareMs: 300 },
  latency: { changes: 5 },
  isolation: { healthy: 5, changes: 2, hung: 20, slow: 2, timeoutMs: 1_000 },
};

type Measure = (servers: DeliveryServers) => Promise<readonly Figure[]>;

/** The queue takes all deliveries of a run, so that what is measured of a worker's cost is the worker. */
const DEEP_QUEUE = { RELAY_MAX_DUE: '100000' };

export const deliveryBench: Bench = {
  title: 'Delivering webhooks',
  method: `
The whole of the product takes part: changes are reported to change-ingest, and its relay hands them to the queue; a worker
claims, signs, posts through the egress proxy to an https receiver, and settles in PostgreSQL, which keeps its promises
about disks. What is measured has a core to itself; PostgreSQL, Redis, the proxy, the receiver, change-ingest and the
benchmark share the others.

- **Cost.** The bare loop posts the same bytes, signed beforehand, over the same kind of kept-alive tunnels, to the same
  receiver, so many at once as the worker: no queue, no record, no log. Worker and bare loop take turns. CPU is that of
  the process alone, user and system. The queue has all deliveries before a worker starts; how many it makes while changes
  are reported and relayed besides is a figure of its own. A run fails when a delivery was dropped, sent twice, or has no attempt on record.
- **Two workers.** The second one shares its core with everything else; the shares of a core say what is full.
- **Idle latency.** From the moment a change is reported until its webhook is at the receiver, one change at a time.
- **Yardstick.** The bare loop again, with the core of what is measured to itself, in front of the times.
- **Isolation.** One worker process. One destination hangs with thousands of deliveries due, one answers at 90% of the
  timeout; a hundred healthy ones get their webhooks at a steady pace. The same without the two, before and afterwards;
  each phase after a pause, so that each begins with new connections. Eight changes go first that do not count.`,
  async run(options) {
    leaveMeasuredCore();
    const extent = options.quick ? QUICK : FULL;
    const latencies = async (servers: DeliveryServers) => [
      ...(await yardstick(servers, options)),
      ...(await measureIdleLatency(servers, extent.latency, options)),
    ];
    const parts: readonly [Settings, Measure][] = [
      [DEEP_QUEUE, (servers) => measureCost(servers, extent.cost, options)],
      [{}, latencies],
      [{}, (servers) => measureIsolation(servers, extent.isolation, options)],
    ];
    const figures: Figure[] = [];
    const onServers = async (ingestSettings: Settings, measures: readonly Measure[]) => {
      const servers = await startDeliveryServers({ profileDirectory: options.profileDirectory, ingestSettings });
      try {
        for (const measure of measures) figures.push(...(await measure(servers)));
      } finally {
        await servers.stop();
      }
    };
    // That a part finds nothing of the one before it matters to its figures alone.
    if (options.quick)
      await onServers(
        DEEP_QUEUE,
        parts.map(([, measure]) => measure),
      );
    else for (const [settings, measure] of parts) await onServers(settings, [measure]);
    return figures;
  },
};

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
