import { within } from '@artist-watch/runtime/clock';
import type { Metrics } from './metrics.js';

/** The part of a pool of connections (`pg.Pool`) that shows how busy it is. */
export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
  query(text: string): Promise<unknown>;
}

/** Less than a gauge has to collect its value; PostgreSQL answers in milliseconds. */
const ANSWER_WITHIN_MS = 1_500;

/**
 * Shows whether PostgreSQL answers and how full pools are: what waits there waits before its statement even starts.
 *
 * @param pools by what they are for.
 */
export function definePoolMetrics(metrics: Metrics, pools: Readonly<Record<string, MeasuredPool>>): void {
  const entries = Object.entries(pools);
  const looks = entries.map(([name, pool]) => [name, lookAt(pool)] as const);
  metrics.gauge({
    name: 'database_pool_connections',
    help: 'Open connections to PostgreSQL, busy or idle.',
    labels: ['pool', 'state'],
    collect(gauge) {
      for (const [pool, { totalCount, idleCount }] of entries) {
        gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
        gauge.set({ pool, state: 'idle' }, idleCount);
      }
    },
  });
  metrics.gauge({
    name: 'database_pool_size',
    help: 'Maximum number of connections to PostgreSQL.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { options }] of entries) gauge.set({ pool }, options.max);
    },
  });
  metrics.gauge({
    name: 'database_pool_waiting',
    help: 'Requests waiting for a connection to PostgreSQL.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { waitingCount }] of entries) gauge.set({ pool }, waitingCount);
    },
  });
  metrics.gauge({
    name: 'database_up',
    help: '1 if PostgreSQL responds through this pool within 1.5 s, else 0. 0 also when the pool is full.',
    labels: ['pool'],
    async collect(gauge) {
      await Promise.all(looks.map(async ([pool, look]) => gauge.set({ pool }, (await look()) ? 1 : 0)));
    },
  });
}

/** Scrapes that overlap share one statement, so a server that hangs holds one connection of the pool at most. */
function lookAt(pool: MeasuredPool): () => Promise<boolean> {
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
    return within(ANSWER_WITHIN_MS, running, () => false);
  };
}
