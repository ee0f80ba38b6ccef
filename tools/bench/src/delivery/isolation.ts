import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench.js';
import { median, quantile } from '../measuring/statistics.js';
import type { Figure } from '../reporting/figure.js';
import { timeArrivals } from './arrival-times.js';
import { clearDeliveries, type DeliveryServers } from './delivery-servers.js';
import { numberedChanges, reportChanges } from './report-and-receive.js';
import { seedDestinations } from './seed-destinations.js';

const FULL = { healthy: 100, changes: 60, hung: 3_000, slow: 200, timeoutMs: 10_000 };
const QUICK = { healthy: 5, changes: 2, hung: 20, slow: 2, timeoutMs: 1_000 };

const EVERY_MS = 250;
const WARM_UP = 8;

/**
 * Measures the latency of healthy destinations while one destination hangs and another responds at 90% of the timeout.
 */
export async function measureIsolation(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const { healthy, changes, hung, slow, timeoutMs } = quick ? QUICK : FULL;
  const seed = (artist: string, urls: readonly string[], count: number) =>
    seedDestinations(servers.pool, { artist, urls, count, box: servers.box });
  await seed('healthy', servers.okUrls.slice(2), healthy);
  await seed('hung', [`${servers.receiverUrls[0]}/hang`], 1);
  await seed('slow', [`${servers.receiverUrls[1]}/after/${Math.round(timeoutMs * 0.9)}`], 1);
  const worker = await servers.startWorker('worker-isolation', {
    WEBHOOK_TIMEOUT: `${timeoutMs}ms`,
    // Otherwise, the bad destinations would be switched off during the measurement.
    WEBHOOK_SWITCH_OFF_AFTER: '1000000',
  });
  const time = (count: number) =>
    timeArrivals(servers, { artist: 'healthy', destinations: healthy, changes: count, everyMs: EVERY_MS });
  const measure = async (phase: string) => {
    const tookMs = await time(changes);
    const p95 = quantile(tookMs, 0.95);
    say(`${phase}: ${tookMs.length} webhooks, p50 ${median(tookMs).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
    return { tookMs, p95 };
  };
  const report = (artist: string, count: number) =>
    reportChanges(servers.ingest, numberedChanges(artist, artist, count));

  // Lets V8 compile the code and PostgreSQL plan the statements.
  await time(WARM_UP);
  await sleep(timeoutMs);
  const before = await measure('before adding the bad destinations');
  await report('hung', hung);
  await report('slow', slow);
  // After this time, the slow destination has its maximum number of requests in flight.
  await sleep(timeoutMs);
  const beside = await measure('with the bad destinations');
  await servers.pool.query(
    `UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id IN ('dst_hung0', 'dst_slow0')`,
  );
  await sleep(timeoutMs);
  const after = await measure('after switching off the bad destinations');
  await worker.stop();
  await clearDeliveries(servers);
  const without = quantile([...before.tookMs, ...after.tookMs], 0.95);
  return [
    {
      name: `${healthy} healthy destinations without the bad destinations: p95`,
      value: without,
      unit: 'ms',
      digits: 1,
    },
    {
      name: 'healthy destinations with a hanging and a slow destination: p95',
      value: beside.p95,
      unit: 'ms',
      digits: 1,
    },
    { name: 'p95 with the bad destinations relative to p95 without them', value: beside.p95 / without, atMost: 1.5 },
  ];
}
