import type { Metrics } from './metrics.js';

/** The part of a pool of connections (`pg.Pool`) that tells how busy it is. */
export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** Shows how full the pool is: what waits there waits before its statement even starts. */
export function definePoolMetrics(metrics: Metrics, pool: MeasuredPool): void {
  metrics.gauge({
    name: 'database_pool_connections',
    help: 'Connections to PostgreSQL that are open: busy or idle.',
    labels: ['state'],
    collect(gauge) {
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      gauge.set({ state: 'idle' }, pool.idleCount);
    },
  });
  metrics.gauge({
    name: 'database_pool_size',
    help: 'Connections to PostgreSQL that may be open.',
    collect: (gauge) => gauge.set(pool.options.max),
  });
  metrics.gauge({
    name: 'database_pool_waiting',
    help: 'Callers that wait for a connection to PostgreSQL.',
    collect: (gauge) => gauge.set(pool.waitingCount),
  });
}
