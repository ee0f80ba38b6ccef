import type { Socket } from 'node:net';
import type pg from 'pg';

/** Reports that a connection was closed because the server did not respond. */
export class SilentServer extends Error {
  override readonly name = 'SilentServer';
  /** Node's code for a timeout, which `isDatabaseUnavailable` recognizes. */
  readonly code = 'ETIMEDOUT';

  constructor(silentMs: number) {
    super(`PostgreSQL sent nothing for ${silentMs} ms.`);
  }
}

/**
 * Time to read data that is already in the socket's buffer. When a frozen process resumes, its timers fire before it
 * has read this data.
 */
const RECHECK_MS = 50;

/**
 * Closes the connection if the server sends nothing for `silentMs` while a response is outstanding. A frozen or
 * unreachable server cannot enforce its own timeouts. The statement fails, and the pool opens another connection.
 *
 * Uses the timeout of the socket instead of the driver's `query_timeout`, which sets a timer per statement. On Node 20,
 * these timers keep every response in memory until the next full garbage collection. That cost a fifth of the CPU time
 * of a request for 200 changes.
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

/** `readyForQuery` is a property of the driver's client that is missing in its types. */
function isIdle(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { readonly readyForQuery: boolean }).readyForQuery;
}

/** The code read_only_sql_transaction. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const READ_ONLY = '25006';

/**
 * Closes a connection that has rejected a write as soon as it is released. Such a connection leads to a standby during
 * a failover, or was opened while a full disk made the database read-only. It stays read-only as long as it is open,
 * but a new connection may reach a writable server.
 */
export function leaveReadOnlySessions(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY) readOnly.add(client);
    });
  });
  pool.on('release', (_error, client) => {
    // The pool removes a connection that has been ended.
    if (readOnly.has(client)) client.end().catch(() => undefined);
  });
}
