import type { Metrics } from './metrics.js';

/** The part of a pool of connections (`pg.Pool`) that tells how busy it is. */
export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/**
 * Shows how full pools are: what waits there waits before its statement even starts.
 *
 * @param pools by what they are for.
 */
export function definePoolMetrics(metrics: Metrics, pools: Readonly<Record<string, MeasuredPool>>): void {
  const entries = Object.entries(pools);
  metrics.gauge({
    name: 'database_pool_connections',
    help: 'Connections to PostgreSQL that are open: busy or idle.',
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
    help: 'Connections to PostgreSQL that may be open.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { options }] of entries) gauge.set({ pool }, options.max);
    },
  });
  metrics.gauge({
    name: 'database_pool_waiting',
    help: 'Callers that wait for a connection to PostgreSQL.',
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, { waitingCount }] of entries) gauge.set({ pool }, waitingCount);
    },
  });
}
