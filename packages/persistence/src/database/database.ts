import type { Socket } from 'node:net';
import { Gates } from '@artist-watch/runtime/gate';
import pg from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';

/** Prisma and plain SQL share one connection pool (docs/adr/0003). */
export interface Database {
  /** Loads Prisma on first use, because it takes 20 MB of memory. */
  prisma(): Promise<PrismaClient>;
  readonly pool: pg.Pool;
  /**
   * Serializes expensive work per account. Enter the gate before taking a connection. Otherwise, waiting requests could
   * use up all connections.
   */
  readonly perAccount: Gates;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Session settings in the URL override our planner costs and timeouts, but not the time zone. */
  readonly url: string;
  /** Default: 10 connections. */
  readonly poolSize?: number;
  /** Default: 30 s. */
  readonly statementTimeoutMs?: number;
  /** Closes a connection if the server sends nothing for this long. Default: `statementTimeoutMs` plus 5 s. */
  readonly responseTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /** Default: 10 s. */
  readonly idleInTransactionMs?: number;
  /** Default: 5 s. */
  readonly connectTimeoutMs?: number;
  /** Default: no limit. */
  readonly maxPlanAgeMs?: number;
  /**
   * Turns `enable_sort` off. Otherwise, PostgreSQL would sort a whole backlog if the table had only one row when it was
   * last analyzed.
   */
  readonly avoidSorts?: boolean;
  readonly accountWaitMs?: number;
  readonly applicationName: string;
}

/** The driver's default of 10 s would close connections during short pauses, and new connections are expensive. */
const IDLE_CONNECTION_MS = 10 * 60_000;

/** With the system default of two hours, connections to a dead machine would stay in the pool. */
const KEEP_ALIVE_MS = 5_000;

/**
 * PostgreSQL keeps a plan made for a small table after the table has grown, so these costs favor indexes
 * (docs/adr/0003).
 */
const PLANNER_COSTS = { random_page_cost: 1.1, seq_page_cost: 4, cpu_tuple_cost: 0.1 };

/** Prisma writes UTC timestamps without a time zone, but the server's default time zone may not be UTC. */
const IN_UTC = { TimeZone: 'UTC' };

/** Prisma must wait longer than the pool's own `connectTimeoutMs`. */
const TRANSACTION_WAIT_MS = 10_000;

const MAX_WAITING_PER_ACCOUNT = 100;

export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const settings = {
    ...withoutUrlSettings(options.url, {
      ...PLANNER_COSTS,
      ...(options.avoidSorts && { enable_sort: 'off' }),
      statement_timeout: statementTimeoutMs,
      ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
      // If a process freezes during a transaction, PostgreSQL must release the transaction's locks.
      idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 10_000,
    }),
    ...IN_UTC,
  };
  const connectTimeoutMs = options.connectTimeoutMs ?? 5_000;
  const responseTimeoutMs = options.responseTimeoutMs ?? statementTimeoutMs + 5_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    application_name: options.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    async onConnect(connected) {
      const client = connected as pg.PoolClient;
      // A connection pooler without free connections accepts the login but delays the first statement.
      cutWhenSilent(client, connectTimeoutMs);
      await setInSession(client, settings);
      setSilenceLimit(client, responseTimeoutMs);
    },
  });
  // The pool replaces a connection that breaks while it is idle. Without a listener, the error would end the process.
  pool.on('error', () => undefined);
  leaveReadOnlySessions(pool);
  if (options.maxPlanAgeMs !== undefined) renewPlans(pool, options.maxPlanAgeMs);
  let prisma: Promise<PrismaClient> | undefined;
  return {
    prisma() {
      prisma ??= openPrisma(pool, statementTimeoutMs);
      return prisma;
    },
    pool,
    perAccount: new Gates({
      maxRunning: 1,
      maxWaiting: MAX_WAITING_PER_ACCOUNT,
      maxWaitMs: options.accountWaitMs ?? 3_000,
    }),
    async ping() {
      await pool.query('SELECT 1');
    },
    async close() {
      await (await prisma)?.$disconnect();
      await pool.end();
    },
  };
}

type SessionSettings = Readonly<Record<string, string | number>>;

/** Settings in the URL take precedence. */
function withoutUrlSettings(url: string, settings: SessionSettings): SessionSettings {
  // PostgreSQL treats `--random-page-cost` like `-c random_page_cost`, and ignores case.
  const normalized = url.toLowerCase().replaceAll('-', '_');
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !normalized.includes(name.toLowerCase())));
}

/** PgBouncer rejects start-up parameters, and role settings would need one role per service. */
async function setInSession(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  await client.query('SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS t (name, value)', [
    Object.keys(settings),
    Object.values(settings).map(String),
  ]);
}

async function openPrisma(pool: pg.Pool, statementTimeoutMs: number): Promise<PrismaClient> {
  const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
    import('@prisma/adapter-pg'),
    import('../generated/prisma/client.js'),
  ]);
  // Prisma's default of 5 s can expire on a busy CPU before any work is done.
  const transactionOptions = { maxWait: TRANSACTION_WAIT_MS, timeout: statementTimeoutMs };
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
}

/** Discards old plans, because a plan made for an empty table would keep scanning the table after it has grown. */
function renewPlans(pool: pg.Pool, maxPlanAgeMs: number): void {
  const plannedAtMs = new WeakMap<pg.PoolClient, number>();
  pool.on('acquire', (client) => {
    const nowMs = performance.now();
    const plannedAt = plannedAtMs.get(client);
    if (plannedAt !== undefined && nowMs - plannedAt < maxPlanAgeMs) return;
    plannedAtMs.set(client, nowMs);
    // A new connection has no cached query plans to discard. If this statement fails, the next one reports the error.
    if (plannedAt !== undefined) client.query('DISCARD PLANS').catch(() => undefined);
  });
}

export type Statements = pg.Pool | pg.PoolClient | Prisma.TransactionClient;

export async function queryRows<Row>(
  client: Statements,
  query: { readonly name?: string; readonly text: string; readonly values: unknown[] },
): Promise<Row[]> {
  if ('$queryRawUnsafe' in client) return client.$queryRawUnsafe<Row[]>(query.text, ...query.values);
  return (await (client as pg.Pool).query(query)).rows;
}

export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The pool only handles errors on idle connections. An unhandled error would end the process.
  const onBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', onBroken);
    client.release(broken);
  }
}

class SilentServer extends Error {
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
function cutWhenSilent(client: pg.PoolClient, silentMs: number): void {
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

function setSilenceLimit(client: pg.PoolClient, silentMs: number): void {
  (client.connection.stream as Socket).setTimeout(silentMs);
}

function isIdle(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { readonly readyForQuery: boolean }).readyForQuery;
}

/** read_only_sql_transaction, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const READ_ONLY = '25006';

/**
 * Closes connections that rejected a write. After a failover, such a connection stays read-only, but a new connection
 * may reach a writable server.
 */
function leaveReadOnlySessions(pool: pg.Pool): void {
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
