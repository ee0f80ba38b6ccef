import type pg from 'pg';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: read_only_sql_transaction */
const READ_ONLY = '25006';

/**
 * Gives up connections that refuse writes, once whoever has one has given it back: to a standby that the address led to in
 * the middle of a failover, or of a time when the database was read-only because its disk was full. They would stay so for
 * as long as they are open, and the next one may lead to a server that takes writes.
 */
export function leaveReadOnlySessions(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY) readOnly.add(client);
    });
  });
  pool.on('release', (_error, client) => {
    // The pool keeps none that is ending.
    if (readOnly.has(client)) client.end().catch(() => undefined);
  });
}
