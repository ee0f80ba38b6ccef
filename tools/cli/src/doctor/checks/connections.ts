import type { Database } from '@artist-watch/persistence/database/database';
import { DATABASE_POOL_SIZES } from '@artist-watch/runtime/settings/settings';
import { type Finding, ok, warning } from '../finding.js';

const FEW_CONNECTIONS = 10;

type Service = keyof typeof DATABASE_POOL_SIZES;

/** How many processes of a service there may be at once. */
export interface Replicas {
  readonly service: Service;
  readonly count: number;
  /** Where it is not the same setting as everywhere. */
  readonly poolSize: number | undefined;
}

/** `api=21`, `webhook-worker=63x4`. */
export const REPLICAS = new RegExp(`^(${Object.keys(DATABASE_POOL_SIZES).join('|')})=(\\d{1,4})(?:x(\\d{1,3}))?$`);

/** @param text matches {@link REPLICAS}. */
export function readReplicas(text: string): Replicas {
  const [, service, count, poolSize] = REPLICAS.exec(text) ?? [];
  return {
    service: service as Service,
    count: Number(count),
    poolSize: poolSize === undefined ? undefined : Number(poolSize),
  };
}

/** How many connections are left now, and whether there are enough for all replicas that may be. */
export async function examineConnections(
  { pool }: Database,
  replicas: readonly Replicas[],
  setPoolSize: number | undefined,
): Promise<Finding[]> {
  const { rows } = await pool.query<{ allowed: number; used: number }>(`
    SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                 nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1),
                 nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1)) AS allowed,
           (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`);
  const { allowed = 0, used = 0 } = rows[0] ?? {};
  return [left(allowed, used), ...(replicas.length > 0 ? [atMost(allowed, replicas, setPoolSize)] : [])];
}

function left(allowed: number, used: number): Finding {
  const check = 'database.connections';
  const found = `${allowed - used} of ${allowed} are left.`;
  return allowed - used < FEW_CONNECTIONS
    ? warning(check, found, 'Raise max_connections, or lower DATABASE_POOL_SIZE or the number of replicas.')
    : ok(check, found);
}

function atMost(allowed: number, replicas: readonly Replicas[], setPoolSize: number | undefined): Finding {
  const check = 'database.connections_at_most';
  const parts = replicas.map(({ service, count, poolSize }) => ({
    service,
    count,
    poolSize: poolSize ?? setPoolSize ?? DATABASE_POOL_SIZES[service],
  }));
  const sum = parts.reduce((total, { count, poolSize }) => total + count * poolSize, 0);
  const terms = parts.map(({ service, count, poolSize }) => `${service} ${count} x ${poolSize}`).join(' + ');
  const found = `All replicas want ${sum} connections (${terms}); ${allowed} are allowed.`;
  return sum + FEW_CONNECTIONS > allowed
    ? warning(
        check,
        found,
        `Raise max_connections to ${sum + FEW_CONNECTIONS} or more, or lower DATABASE_POOL_SIZE or the replicas at most ` +
          '(docs/settings.md#connections-to-postgresql).',
      )
    : ok(check, found);
}
