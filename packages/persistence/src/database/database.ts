import { Gates } from '@artist-watch/runtime/gate';
import pg from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { cutWhenSilent, leaveReadOnlySessions, setSilenceLimit } from './silent-server.js';

/**
 * One connection pool with two interfaces: Prisma reads and writes single rows, and plain SQL is used for set-based
 * statements and frequent reads (docs/adr/0003).
 */
export interface Database {
  /** Loads Prisma on first use, because it takes 20 MB of memory and the delivery services never use it. */
  prisma(): Promise<PrismaClient>;
  readonly pool: pg.Pool;
  /**
   * Serializes the expensive work of each account: transactions that lock the account's rows, and reads that compare or
   * count many rows. The key is the account id. Enter the gate before you take a connection. Otherwise one account's
   * requests could occupy all connections while they wait for each other.
   */
  readonly perAccount: Gates;
  /** Checks for readiness that the server responds. Rejects with the driver's error. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /**
   * The connection URL. Session settings in it override our planner costs and timeouts, but the time zone is always
   * UTC.
   */
  readonly url: string;
  /** Maximum number of connections. Default: 10. */
  readonly poolSize?: number;
  /** How long a statement may run before the server ends it. Default: 30 s. */
  readonly statementTimeoutMs?: number;
  /**
   * If the server sends nothing for this time during a statement, the connection is closed. Default:
   * `statementTimeoutMs` plus 5 s.
   */
  readonly responseTimeoutMs?: number;
  /** How long a statement may wait for a lock before the server ends it. Default: no separate limit. */
  readonly lockTimeoutMs?: number;
  /** How long a transaction may be idle before the server ends it. Default: 10 s. */
  readonly idleInTransactionMs?: number;
  /** Maximum wait for a connection. Default: 5 s. */
  readonly connectTimeoutMs?: number;
  /** Maximum age of the plans of prepared statements. Default: no limit. */
  readonly maxPlanAgeMs?: number;
  /**
   * Makes PostgreSQL prefer an ordered index to a sort (`enable_sort` = off). If a table had one row when it was
   * analyzed, PostgreSQL would consider a sort free. To find a destination's oldest delivery, it would then read the
   * whole backlog.
   */
  readonly avoidSorts?: boolean;
  /** Maximum time that work waits in `perAccount` for other work of the same account. Default: 3 s. */
  readonly accountWaitMs?: number;
  /** The name shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * How long an idle connection stays open. The driver's default of 10 s closes connections during short pauses. The next
 * requests would then pay for new connections: a SCRAM login, a server process, and replanning of every prepared
 * statement.
 */
const IDLE_CONNECTION_MS = 10 * 60_000;

/**
 * Idle time before TCP sends keep-alive probes. With the system default of two hours, connections to a dead machine
 * would stay in the pool, and their statements would wait for a response that never comes.
 */
const KEEP_ALIVE_MS = 5_000;

/**
 * Planner costs that favor indexes. A prepared statement that was planned for a small table keeps its plan until
 * PostgreSQL analyzes the table, a minute or more after it has grown. In a small table, an index costs only
 * microseconds more, but in a table that has grown, a sequential scan takes seconds (docs/adr/0003).
 */
const PLANNER_COSTS = { random_page_cost: 1.1, seq_page_cost: 4, cpu_tuple_cost: 0.1 };

/**
 * Sets the time zone of every connection. Prisma writes timestamps in UTC without a time zone, and the server, database
 * or role may have a different default time zone.
 */
const IN_UTC = { TimeZone: 'UTC' };

/** Prisma's maximum wait for a connection. It is longer than the pool's own `connectTimeoutMs`. */
const TRANSACTION_WAIT_MS = 10_000;

/** Maximum number of waiting requests per account. Further requests are rejected at once. */
const MAX_WAITING_PER_ACCOUNT = 100;

export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const settings = {
    ...withoutUrlSettings(options.url, {
      ...PLANNER_COSTS,
      ...(options.avoidSorts && { enable_sort: 'off' }),
      statement_timeout: statementTimeoutMs,
      ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
      // A process that freezes during a transaction must not keep its locks.
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
      // Limits the wait for the first statement, because a connection pooler without free connections accepts the login
      // but delays that statement.
      cutWhenSilent(client, connectTimeoutMs);
      await setInSession(client, settings);
      setSilenceLimit(client, responseTimeoutMs);
    },
  });
  pool.on('error', (error) => options.onConnectionLost?.(error));
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

/** Session settings by name. Durations are in milliseconds, which is the unit in pg_settings. */
type SessionSettings = Readonly<Record<string, string | number>>;

/** Omits the settings that the URL contains, in `options` or as a parameter. */
function withoutUrlSettings(url: string, settings: SessionSettings): SessionSettings {
  // PostgreSQL treats `--random-page-cost` like `-c random_page_cost`, and ignores case.
  const normalized = url.toLowerCase().replaceAll('-', '_');
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !normalized.includes(name.toLowerCase())));
}

/**
 * Applies settings with a statement, because PgBouncer rejects start-up parameters, and settings of a role would need
 * one role per service.
 */
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
  // Prisma's default of 5 s can expire on a busy CPU before any work is done. A long timeout is safe, because the
  // server ends long statements and idle transactions and releases their locks.
  const transactionOptions = { maxWait: TRANSACTION_WAIT_MS, timeout: statementTimeoutMs };
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
}

/**
 * Discards a connection's plans when the connection is used after `maxPlanAgeMs`. Otherwise a plan that was made for an
 * empty table would keep scanning the table after it has grown, despite the planner costs.
 */
function renewPlans(pool: pg.Pool, maxPlanAgeMs: number): void {
  const plannedAtMs = new WeakMap<pg.PoolClient, number>();
  pool.on('acquire', (client) => {
    const nowMs = performance.now();
    const plannedAt = plannedAtMs.get(client);
    if (plannedAt !== undefined && nowMs - plannedAt < maxPlanAgeMs) return;
    plannedAtMs.set(client, nowMs);
    // A new connection has no plans yet. If the statement fails, the connection's next statement reports the error.
    if (plannedAt !== undefined) client.query('DISCARD PLANS').catch(() => undefined);
  });
}

/** A client that runs single statements or the statements of a transaction. */
export type Statements = pg.Pool | pg.PoolClient | Prisma.TransactionClient;

/**
 * Runs a query and returns its rows.
 *
 * @param query only the pg driver uses the name. Prisma chooses the names of its statements itself.
 */
export async function queryRows<Row>(
  client: Statements,
  query: { readonly name?: string; readonly text: string; readonly values: unknown[] },
): Promise<Row[]> {
  if ('$queryRawUnsafe' in client) return client.$queryRawUnsafe<Row[]>(query.text, ...query.values);
  return (await (client as pg.Pool).query(query)).rows;
}

/** Runs `work` in one transaction on one connection. Rolls back if `work` rejects. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The pool handles only errors of idle connections. An unhandled error of a connection in use would end the process.
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
