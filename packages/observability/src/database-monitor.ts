import { within } from '@artist-watch/runtime/clock';
import { type Logger, throttled } from './logger.js';
import type { Metrics } from './metrics.js';

export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
  query(text: string): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A gauge has 2 s to collect its value, so this check must time out sooner. */
const RESPONSE_TIMEOUT_MS = 1_500;

export interface DatabaseMonitorOptions {
  readonly url: string;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Reports the pools' metrics and logs lost connections. Each scrape also checks PostgreSQL, and logs when the server
 * stops or starts responding.
 * @param pools by purpose, which is used as the label `pool`.
 */
export function monitorDatabase(
  pools: Readonly<Record<string, MeasuredPool>>,
  { url, log, metrics }: DatabaseMonitorOptions,
): void {
  const server = new URL(url).host;
  const logLoss = throttled(
    (error, suppressed) => log.warn('database.connection_lost', { server, error, suppressed }),
    () => performance.now(),
  );
  const entries = Object.entries(pools);
  for (const [, pool] of entries) pool.on('error', logLoss);
  const checks = entries.map(([name, pool]) => [name, createCheck(pool)] as const);
  metrics.gauge({
    name: 'artist_watch_database_pool_connections',
    help: 'Open connections to PostgreSQL, by state: `busy` or `idle`.',
    labels: ['pool', 'state'],
    collect(gauge) {
      for (const [pool, { totalCount, idleCount }] of entries) {
        gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
        gauge.set({ pool, state: 'idle' }, idleCount);
      }
    },
  });
  metrics.gauge({
    name: 'artist_watch_database_pool_size',
    help: 'Maximum number of connections to PostgreSQL in the pool.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { options }] of entries) gauge.set({ pool }, options.max);
    },
  });
  metrics.gauge({
    name: 'artist_watch_database_pool_waiting',
    help: 'Requests waiting for a free connection in the pool. Can be 0 while PostgreSQL is down, so check `artist_watch_database_up` too.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { waitingCount }] of entries) gauge.set({ pool }, waitingCount);
    },
  });
  metrics.gauge({
    name: 'artist_watch_database_up',
    help: '1 if PostgreSQL responds through this pool within 1.5 s, otherwise 0. Also 0 if the pool is full.',
    labels: ['pool'],
    async collect(gauge) {
      await Promise.all(
        checks.map(async ([pool, responds]) => {
          const isUp = await responds();
          gauge.set({ pool }, isUp ? 1 : 0);
          logTransition(pool, isUp);
        }),
      );
    },
  });

  const silentSinceMs = new Map<string, number>();
  function logTransition(pool: string, isUp: boolean): void {
    const sinceMs = silentSinceMs.get(pool);
    if (!isUp && sinceMs === undefined) {
      silentSinceMs.set(pool, performance.now());
      log.warn('database.unavailable', { server, pool });
    } else if (isUp && sinceMs !== undefined) {
      silentSinceMs.delete(pool);
      log.info('database.available', { server, pool, unavailableMs: Math.round(performance.now() - sinceMs) });
    }
  }
}

/** Overlapping scrapes share one statement, so that a hanging server only ties up one connection. */
function createCheck(pool: MeasuredPool): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  return async () => {
    running ??= pool
      .query('SELECT 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        running = undefined;
      });
    return within(RESPONSE_TIMEOUT_MS, running, () => false);
  };
}
