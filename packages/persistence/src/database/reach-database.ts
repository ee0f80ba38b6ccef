import { reach, Unusable } from '@artist-watch/runtime/lifecycle/reach';
import type pg from 'pg';
import type { Database } from './database.js';

/** PgBouncer: `unsupported startup parameter: options`; RDS Proxy: `RDS Proxy currently doesn't support command-line options`. */
const REFUSES_PARAMETERS = /startup parameter|command-line options/i;

/**
 * Proves at start that the database answers, and that each session has a connection of its own to the server.
 *
 * @param url the value of DATABASE_URL; only its host and port are ever shown.
 * @param timeoutMs 10 s unless given.
 * @throws a StartError, one sentence.
 */
export function reachDatabase(database: Database, url: string, timeoutMs?: number): Promise<void> {
  const dependency = {
    what: 'PostgreSQL',
    setting: 'DATABASE_URL',
    url,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return reach(dependency, async () => {
    if (await sessionsAreShared(database.pool).catch(explainRefusal)) {
      throw new Unusable(
        'a pooler in between gives one connection to several sessions; set it to session pooling (PgBouncer: ' +
          'pool_mode = session), or connect to PostgreSQL itself',
      );
    }
  });
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof Error && REFUSES_PARAMETERS.test(error.message))) throw error;
  throw new Unusable(
    `a pooler in between refuses a parameter that DATABASE_URL sets (${error.message}); take it out of the address`,
    { cause: error },
  );
}

/**
 * Whether two sessions at once have the same connection to the server, as behind a pooler that pools transactions:
 * settings and prepared statements would then belong to whoever comes next.
 */
async function sessionsAreShared(pool: pg.Pool): Promise<boolean> {
  if (pool.options.max < 2) return false;
  const clients: pg.PoolClient[] = [];
  try {
    const pids: unknown[] = [];
    for (let session = 0; session < 2; session++) {
      const client = await pool.connect();
      clients.push(client);
      pids.push((await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid);
    }
    return pids[0] === pids[1];
  } finally {
    for (const client of clients) client.release();
  }
}
