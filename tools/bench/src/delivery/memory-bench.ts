import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchOptions } from '../bench.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { clearDeliveries, type DeliveryServers, onDeliveryServers } from './delivery-servers.js';
import { countsOf, numberedChanges, reportChanges } from './report-and-receive.js';
import { seedDestinations } from './seed-destinations.js';

const FULL = { slots: 500, holdMs: 25_000, minutes: 1.5, perSecond: 200 };
const QUICK: typeof FULL = { slots: 20, holdMs: 1_000, minutes: 0.05, perSecond: 100 };

export const memoryBench: Bench = {
  title: 'Memory of a worker',
  method: `
The whole product runs, as in [delivery](delivery.md). Resident size of the worker's process while slow receivers (5 s) occupy
its slots, and its trend under steady load (\`--minutes 60\` for an hour). Other work on the machine has no effect.`,
  run(options) {
    leaveMeasuredCore();
    const usual = options.quick ? QUICK : FULL;
    const extent = { ...usual, minutes: options.minutes ?? usual.minutes };
    return onDeliveryServers({ profileDirectory: options.profileDirectory }, async (servers) => [
      await measureInFlight(servers, extent, options),
      ...(await measureTrend(servers, extent, options)),
    ]);
  },
};

const MB = 1_000_000;
const CHECK_EVERY_MS = 500;
const SLOW_DESTINATIONS = 250;
const LOAD_DESTINATIONS = 50;
const ROUNDS_OF_SLOTS = 12;
const MAX_RISE_MS = 60_000;
/** Over a shorter period, the trend would reflect garbage collection rather than a leak. */
const TREND_MINUTES = 30;
/** Pools, caches and compiled code are still growing during this fraction of the run. */
const WARM_UP = 1 / 6;
/** The trend is based on the minimum of each window. */
const WINDOWS = 12;

async function measureInFlight(
  servers: DeliveryServers,
  { slots, holdMs }: typeof FULL,
  { say }: BenchOptions,
): Promise<Figure> {
  const artist = 'patience';
  const urls = servers.receiverUrls.map((url) => `${url}/after/5000`);
  await seedDestinations(servers.pool, { artist, urls, count: SLOW_DESTINATIONS, box: servers.box });
  const changes = Math.ceil((slots * ROUNDS_OF_SLOTS) / SLOW_DESTINATIONS);
  await reportChanges(servers.ingest, numberedChanges(artist, artist, changes));
  const worker = await servers.startWorker('worker-in-flight', { WEBHOOK_CONCURRENCY: String(slots) });
  let [mostOpen, mostBytes] = [0, 0];
  const givesUpAtMs = performance.now() + MAX_RISE_MS;
  for (let endsAtMs = givesUpAtMs; performance.now() < endsAtMs; await sleep(CHECK_EVERY_MS)) {
    const [{ open }, { residentBytes }] = [await countsOf(servers.receiver), await worker.usage()];
    if (open >= slots && endsAtMs === givesUpAtMs) endsAtMs = performance.now() + holdMs;
    mostOpen = Math.max(mostOpen, open);
    mostBytes = Math.max(mostBytes, residentBytes);
  }
  await worker.stop();
  await clearDeliveries(servers);
  say(`in flight: at most ${mostOpen} requests at once, ${(mostBytes / MB).toFixed(0)} MB resident`);
  const name = `resident memory of a worker with ${mostOpen} requests in flight`;
  return { name, value: mostBytes / MB, unit: 'MB', digits: 0, atMost: 300 };
}

async function measureTrend(
  servers: DeliveryServers,
  { minutes, perSecond }: typeof FULL,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const artist = 'load';
  const { pool, okUrls: urls, box } = servers;
  await seedDestinations(pool, { artist, urls, count: LOAD_DESTINATIONS, box });
  const worker = await servers.startWorker('worker-load');
  const samples: MemorySample[] = [];
  const startedAtMs = performance.now();
  const everyMs = (LOAD_DESTINATIONS / perSecond) * 1_000;
  const reporting: Promise<void>[] = [];
  for (let index = 0; performance.now() - startedAtMs < minutes * 60_000; index += 1) {
    await sleep(startedAtMs + index * everyMs - performance.now());
    reporting.push(reportChanges(servers.ingest, [{ artist, entityId: `${artist}-${index}` }]));
    const minute = (performance.now() - startedAtMs) / 60_000;
    samples.push({ minute, megabytes: (await worker.usage()).residentBytes / MB });
  }
  await Promise.all(reporting);
  await worker.stop();
  await clearDeliveries(servers);
  const settled = samples.filter(({ minute }) => minute >= minutes * WARM_UP);
  const most = samples.reduce((highest, { megabytes }) => Math.max(highest, megabytes), 0);
  const floors = floorsOf(settled, minutes / WINDOWS);
  for (const { minute, megabytes } of floors) {
    say(`under load, minute ${minute.toFixed(2)}: ${megabytes.toFixed(0)} MB resident (minimum of the interval)`);
  }
  const load = `${perSecond} webhooks per second, ${minutes} min`;
  const trend = { unit: 'MB per hour', digits: 0, atMost: minutes < TREND_MINUTES ? undefined : 20 };
  return [
    { name: `maximum resident memory under load (${load})`, value: most, unit: 'MB', digits: 0, atMost: 300 },
    { name: 'trend of all samples after the first sixth of the run', value: trendOf(settled), ...trend },
    { name: 'trend of the minima of twelve intervals', value: trendOf(floors), ...trend },
  ];
}

export interface MemorySample {
  readonly minute: number;
  /** One megabyte is 10^6 bytes. */
  readonly megabytes: number;
}

/**
 * A window's minimum reveals a leak better than a single sample, which depends on when the garbage collector last ran.
 */
export function floorsOf(samples: readonly MemorySample[], windowMinutes: number): MemorySample[] {
  const floors = new Map<number, MemorySample>();
  for (const sample of samples) {
    const window = Math.floor(sample.minute / windowMinutes);
    const floor = floors.get(window);
    if (floor === undefined || sample.megabytes < floor.megabytes) floors.set(window, sample);
  }
  return [...floors.values()];
}

/** Returns the least-squares slope in MB per hour. */
export function trendOf(samples: readonly MemorySample[]): number {
  const mean = (of: (sample: MemorySample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [minute, megabytes] = [mean((sample) => sample.minute), mean((sample) => sample.megabytes)];
  const covariance = mean((sample) => (sample.minute - minute) * (sample.megabytes - megabytes));
  const variance = mean((sample) => (sample.minute - minute) ** 2);
  return variance > 0 ? (covariance / variance) * 60 : 0;
}
