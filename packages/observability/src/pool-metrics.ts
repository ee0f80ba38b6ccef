import { within } from '@artist-watch/runtime/clock';
import type { Metrics } from './metrics.js';

export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
  query(text: string): Promise<unknown>;
}

/** A gauge has 2 s to collect its value, so the check must be shorter. */
const RESPONSE_TIMEOUT_MS = 1_500;

/**
 * The measured duration of a statement excludes the wait for a connection.
 * @param pools by purpose, which becomes the label `pool`.
 */
export function definePoolMetrics(metrics: Metrics, pools: Readonly<Record<string, MeasuredPool>>): void {
  const entries = Object.entries(pools);
  const checks = entries.map(([name, pool]) => [name, createCheck(pool)] as const);
  metrics.gauge({
    name: 'artist_watch_database_pool_connections',
    help: 'Open connections to PostgreSQL, by state: busy or idle.',
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
    help: 'Maximum number of connections to PostgreSQL.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { options }] of entries) gauge.set({ pool }, options.max);
    },
  });
  metrics.gauge({
    name: 'artist_watch_database_pool_waiting',
    help: 'Requests waiting for a connection to PostgreSQL.',
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
      await Promise.all(checks.map(async ([pool, responds]) => gauge.set({ pool }, (await responds()) ? 1 : 0)));
    },
  });
}

/** Overlapping scrapes share one statement, so a server that hangs occupies only one connection. */
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
