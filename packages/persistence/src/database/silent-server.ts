import type { Socket } from 'node:net';
import type pg from 'pg';

export class SilentServer extends Error {
  override readonly name = 'SilentServer';
  /** Node's code for a timeout, which `isDatabaseUnavailable` recognizes. */
  readonly code = 'ETIMEDOUT';

  constructor(silentMs: number) {
    super(`PostgreSQL sent nothing for ${silentMs} ms.`);
  }
}

/** When a frozen process resumes, its timers fire before data in the socket's buffer is read. */
const RECHECK_MS = 50;

/**
 * Closes the connection if the server does not respond for `silentMs`. The driver's `query_timeout` is unsuitable,
 * because its timers keep every response in memory on Node 20.
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

export function setSilenceLimit(client: pg.PoolClient, silentMs: number): void {
  (client.connection.stream as Socket).setTimeout(silentMs);
}

function isIdle(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { readonly readyForQuery: boolean }).readyForQuery;
}

/** read_only_sql_transaction, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const READ_ONLY = '25006';

/**
 * Closes connections that rejected a write. They stay read-only after a failover, but a new connection may reach a
 * writable server.
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
