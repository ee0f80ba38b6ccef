import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_KEY_PREFIX, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '@artist-watch/domain/account/credentials';
import type pg from 'pg';
import type { BenchOptions } from '../bench.js';
import { clearDeliveries, type DeliveryServers } from '../delivery/delivery-servers.js';
import { numberedChanges, reportChanges, requestsOf } from '../delivery/report-and-receive.js';
import { seedDestinations } from '../delivery/seed-destinations.js';
import { getRequest } from '../load/http-connection.js';
import { arriveSteadily } from '../load/load.js';
import { quantile } from '../measuring/statistics.js';
import { setIdlePriority } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { usedBytes } from './redis-memory.js';

const FULL = { destinations: 100_000, readsPerSecond: 100, usualMs: 20_000 };
const QUICK = { destinations: 200, readsPerSecond: 10, usualMs: 1_000 };

const MB = 1_000_000;
const CHECK_EVERY_MS = 250;
const READ_FOR_MS = 1_000;
const CHANGES_TO_READ = 200;
const CONNECTIONS = 16;
/** The release loop stops at 32 waiting jobs, so the queue stays much shorter than the number of deliveries. */
const MOST_DUE = 100;

/** Measures how one change fans out to many destinations, and the API's read latency during the fan-out. */
export async function measureWideChange(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const { destinations, readsPerSecond, usualMs } = quick ? QUICK : FULL;
  const { pool, redis, receiver, ingest } = servers;
  await seedDestinations(pool, { artist: 'wide', urls: servers.okUrls, count: destinations });
  await pool.query('ANALYZE');
  const read = await startReading(servers, readsPerSecond);
  const worker = await servers.startWorker('worker-wide', {}, true);
  for (const { pid } of [ingest, worker, servers.proxy, receiver]) setIdlePriority(pid);
  const ended = new AbortController();
  const yielding = keepWritersAtIdlePriority(pool, ended.signal);
  const queue = openDeliveryQueue({ redisUrl: servers.redisUrl, prefix: DEFAULT_KEY_PREFIX });
  await queue.whenReady(READ_FOR_MS);
  await read(usualMs / 4);
  const usual: number[] = [];
  for (let passedMs = 0; passedMs < usualMs; passedMs += READ_FOR_MS) usual.push(...(await read(READ_FOR_MS)));

  const requestsBefore = await requestsOf(receiver);
  const reportedAtMs = performance.now();
  let committedMs = 0;
  let queuedMs = 0;
  let [mostDue, mostBytes] = [0, 0];
  const reads = { committing: [] as number[], handingOn: [] as number[] };
  const reading = (async () => {
    while (committedMs === 0) reads.committing.push(...(await read(READ_FOR_MS)));
    do reads.handingOn.push(...(await read(READ_FOR_MS)));
    while (queuedMs === 0);
  })();
  await reportChanges(ingest, [{ artist: 'wide', entityId: 'wide-1' }]);
  committedMs = performance.now() - reportedAtMs;
  while (queuedMs === 0) {
    mostDue = Math.max(mostDue, (await queue.depth()).due);
    mostBytes = Math.max(mostBytes, await usedBytes(redis));
    if (!(await servers.isAny('waiting'))) queuedMs = performance.now() - reportedAtMs;
    else await sleep(CHECK_EVERY_MS);
  }
  await reading;
  while ((await requestsOf(receiver)) - requestsBefore < destinations) await sleep(CHECK_EVERY_MS);
  ended.abort();
  await yielding;
  await worker.stop();
  await queue.close();
  await clearDeliveries(servers);
  const p99 = {
    usual: quantile(usual, 0.99),
    committing: quantile(reads.committing, 0.99),
    handingOn: quantile(reads.handingOn, 0.99),
  };
  say(
    `one change to ${destinations}: committed after ${committedMs.toFixed(0)} ms, all released after ${queuedMs.toFixed(0)} ms, ` +
      `at most ${mostDue} due in the queue, ${(mostBytes / MB).toFixed(1)} MB; ` +
      `p99 of reads: ${p99.usual.toFixed(1)} ms before the change (${usual.length}), ` +
      `${p99.committing.toFixed(1)} ms until the commit (${reads.committing.length}), ${p99.handingOn.toFixed(1)} ms until all were released (${reads.handingOn.length})`,
  );
  const wide = `one change with ${destinations} matching destinations`;
  const queued = 'time until all its deliveries are released';
  const handing = 'p99 of API reads during delivery, relative to before the change';
  return [
    { name: `${wide}: time until the commit`, value: committedMs / 1_000, unit: 's', atMost: 5 },
    { name: queued, value: queuedMs / 1_000, unit: 's' },
    { name: 'maximum number of due jobs in the queue during delivery', value: mostDue, digits: 0, atMost: MOST_DUE },
    { name: 'maximum used_memory of Redis during delivery', value: mostBytes / MB, unit: 'MB', digits: 1 },
    { name: 'p99 of API reads before the change', value: p99.usual, unit: 'ms', digits: 1 },
    {
      name: 'p99 of API reads until the change is committed, relative to before the change',
      value: p99.committing / p99.usual,
      atMost: 2,
    },
    { name: handing, value: p99.handingOn / p99.usual, atMost: 2 },
  ];
}

/** Includes connections that change-ingest and the worker only open later. */
async function keepWritersAtIdlePriority(pool: pg.Pool, ended: AbortSignal): Promise<void> {
  const known = new Set<number>();
  while (!ended.aborted && !pool.ending) {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name IN ('change-ingest', 'webhook-worker')`,
    );
    for (const { pid } of rows) {
      if (!known.has(pid)) setIdlePriority(pid);
      known.add(pid);
    }
    await sleep(CHECK_EVERY_MS);
  }
}

/** @returns a function that requests a page `perSecond` times a second for `durationMs` and returns the latencies. */
async function startReading(servers: DeliveryServers, perSecond: number) {
  const artist = 'read';
  await seedDestinations(servers.pool, { artist, urls: ['https://127.0.0.1:9/'], count: 1 });
  await servers.pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = 'dst_read0'`);
  await reportChanges(servers.ingest, numberedChanges(artist, artist, CHANGES_TO_READ));
  const key = makeApiKey(randomBytes(API_KEY_RANDOM_BYTES));
  await servers.pool.query(
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at) VALUES ('key_read', 'acc_read1', $1, 'aw_live_', now())`,
    [createHash('sha256').update(key).digest()],
  );
  const api = await servers.startService('api', { API_PORT: '0' });
  const target = {
    port: Number(api.addresses.api),
    requests: [getRequest('/v1/changes', { Authorization: `Bearer ${key}` })],
    status: 200,
  };
  return async (durationMs: number): Promise<readonly number[]> =>
    (await arriveSteadily(target, { perSecond, connections: CONNECTIONS, durationMs })).latenciesMs;
}
