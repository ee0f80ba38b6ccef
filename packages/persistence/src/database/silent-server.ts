import type { Socket } from 'node:net';
import type pg from 'pg';

/** The connection was cut because the server owed an answer and said nothing. */
export class SilentServer extends Error {
  override readonly name = 'SilentServer';
  /** Node's own code for it, by which it is known as a database that is away. */
  readonly code = 'ETIMEDOUT';

  constructor(silentMs: number) {
    super(`PostgreSQL said nothing for ${silentMs} ms.`);
  }
}

/** What is in the socket's buffer is read first: a process that was frozen wakes with its timers overdue. */
const SECOND_LOOK_MS = 50;

/**
 * Cuts the connection when the server has owed an answer for `silentMs` and said nothing: one that is frozen, or gone
 * without a word, ends no statement by a timeout of its own. The statement rejects, and the pool opens another connection.
 *
 * The socket's own clock sees to it. The driver's `query_timeout` takes a timer for each statement, and on Node 20 every
 * answer then stays in memory until the next full collection: a fifth of the CPU of a request for 200 changes.
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
    setTimeout(cutIfStillSilent, SECOND_LOOK_MS).unref();
  });
}

/** Another time of silence for a connection that is cut when it is over. */
export function expectAnswersWithin(client: pg.PoolClient, silentMs: number): void {
  (client.connection.stream as Socket).setTimeout(silentMs);
}

/** The driver has it as a plain property, which its types leave out. */
function isIdle(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { readonly readyForQuery: boolean }).readyForQuery;
}

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
