import type { Socket } from 'node:net';
import type pg from 'pg';

/** The connection was cut because the server did not respond. */
export class SilentServer extends Error {
  override readonly name = 'SilentServer';
  /** Node's code for a timeout, so that `isDatabaseUnavailable` recognizes it. */
  readonly code = 'ETIMEDOUT';

  constructor(silentMs: number) {
    super(`PostgreSQL sent nothing for ${silentMs} ms.`);
  }
}

/** Time to read data that is already in the socket's buffer: after a frozen process wakes, its timers are overdue. */
const RECHECK_MS = 50;

/**
 * Cuts the connection if the server sends nothing for `silentMs` while a response is due. A frozen or vanished server
 * cannot enforce its own timeouts. The statement rejects, and the pool opens another connection.
 *
 * Uses the socket's timeout. The driver's `query_timeout` sets a timer per statement, and on Node 20 every response
 * then stays in memory until the next full garbage collection, which cost a fifth of the CPU of a request for 200
 * changes.
 */
export function cutWhenSilent(client: pg.PoolClient, silentMs: number): void {
  const stream = client.connection.stream as Socket;
  stream.setTimeout(silentMs);
  stream.on('timeout', () => {
    if (isIdle(client)) return;
    const { bytesRead } = stream;
    const cutIfStillSilent = () => {
      if (stream.bytesRead === bytesRead) stream.destroy(new SilentServer(stream.timeout ?? silentMs));
    };
    setTimeout(cutIfStillSilent, RECHECK_MS).unref();
  });
}

/** Changes the timeout that `cutWhenSilent` has set. */
export function setSilenceLimit(client: pg.PoolClient, silentMs: number): void {
  (client.connection.stream as Socket).setTimeout(silentMs);
}

/** `readyForQuery` is a property of the driver's client that its types omit. */
function isIdle(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { readonly readyForQuery: boolean }).readyForQuery;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: read_only_sql_transaction */
const READ_ONLY = '25006';

/**
 * Closes connections that have rejected a write, when they are released. Such a connection leads to a standby during a
 * failover, or was opened while a full disk made the database read-only. It stays read-only while open, and a new
 * connection may reach a writable server.
 */
export function leaveReadOnlySessions(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY) readOnly.add(client);
    });
  });
  pool.on('release', (_error, client) => {
    // The pool removes ending connections.
    if (readOnly.has(client)) client.end().catch(() => undefined);
  });
}
