import { reach, Unusable } from '@artist-watch/runtime/settings/start-failure';
import type pg from 'pg';
import { type Database, openDatabase } from './database.js';

/** The timeouts are short, because an HTTP client is waiting. */
const STATEMENT_TIMEOUT_MS = 3_000;
const LOCK_TIMEOUT_MS = 1_000;
const RESPONSE_TIMEOUT_MS = 4_000;
const CONNECT_TIMEOUT_MS = 2_000;

/** Writes get fewer connections than reads, because they are quick (a few milliseconds) and much less frequent. */
const WRITE_SHARE = 0.3;

export interface Databases {
  readonly reads: Database;
  readonly writes: Database;
}

/**
 * Opens separate pools, so that waiting writes never take connections from reads (docs/adr/0028).
 * @param service the name shown in pg_stat_activity.
 */
export function openDatabases(
  service: string,
  settings: { readonly DATABASE_URL: string; readonly DATABASE_POOL_SIZE: number },
  options: { readonly accountWaitMs?: number } = {},
): Databases {
  const writers = Math.max(1, Math.floor(settings.DATABASE_POOL_SIZE * WRITE_SHARE));
  const open = (applicationName: string, poolSize: number) =>
    openDatabase({
      url: settings.DATABASE_URL,
      poolSize,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      responseTimeoutMs: RESPONSE_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      applicationName,
      ...options,
    });
  return { reads: open(service, settings.DATABASE_POOL_SIZE - writers), writes: open(`${service}-writes`, writers) };
}

/**
 * PgBouncer reports `unsupported startup parameter: options`, and RDS Proxy reports `RDS Proxy currently doesn't
 * support command-line options`.
 */
const REJECTS_PARAMETERS = /startup parameter|command-line options/i;

/**
 * Also checks that every session has its own server connection.
 * @param url DATABASE_URL. Errors only show its host and port.
 * @param timeoutMs default: 10 s.
 * @throws StartError with a one-sentence message.
 */
export function reachDatabase(database: Database, url: string, timeoutMs?: number): Promise<void> {
  const dependency = {
    what: 'PostgreSQL',
    setting: 'DATABASE_URL',
    url,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return reach(dependency, async () => {
    if (await sessionsAreShared(database.pool).catch(explainRejection)) {
      throw new Unusable(
        'a connection pooler shares one server connection between sessions; set it to session pooling (PgBouncer: ' +
          'pool_mode = session), or connect to PostgreSQL directly',
      );
    }
  });
}

function explainRejection(error: unknown): never {
  if (!(error instanceof Error && REJECTS_PARAMETERS.test(error.message))) throw error;
  throw new Unusable(
    `a connection pooler rejects a parameter in DATABASE_URL (${error.message}); remove it from the URL`,
    { cause: error },
  );
}

/** Sessions behind a transaction pooler would share settings and prepared statements. */
async function sessionsAreShared(pool: pg.Pool): Promise<boolean> {
  if (pool.options.max < 2) return false;
  const clients: pg.PoolClient[] = [];
  const owners = new Map<number, pg.PoolClient>();
  const pids = new Map<pg.PoolClient, number>();
  try {
    for (let session = 0; session < 2; session++) clients.push(await pool.connect());
    // In a single round, activity from other pools could hide that the sessions are shared.
    for (let round = 0; round < 5; round++) {
      for (const client of clients) {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const pid = Number(rows[0]?.pid);
        if ((pids.get(client) ?? pid) !== pid || (owners.get(pid) ?? client) !== client) return true;
        pids.set(client, pid);
        owners.set(pid, client);
      }
    }
    return false;
  } finally {
    for (const client of clients) client.release();
  }
}
