import { Gates } from '@artist-watch/runtime/gate';
import pg from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { cutWhenSilent, expectAnswersWithin, leaveReadOnlySessions } from './silent-server.js';

/**
 * One pool of connections with two ways in: Prisma for what is written and read a row at a time, and plain SQL for the
 * set-based statements and the hot reads (docs/adr/0003).
 */
export interface Database {
  /** Loaded when it is first asked for: the services that deliver never do, and it takes 20 MB. */
  prisma(): Promise<PrismaClient>;
  readonly pool: pg.Pool;
  /**
   * Who locks what belongs to an account takes its turn here, by the id of the account, before it takes a connection, and
   * so does who compares or counts many rows for it. Otherwise one account's requests would hold all connections, and wait
   * there for each other's lock, or for their statements.
   */
  readonly turns: Gates;
  /** Resolves when the server answers; rejects with what the driver says otherwise. For readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** What it sets of a session goes before our costs and timeouts; the zone stays UTC. */
  readonly url: string;
  /** Connections at most; 10 by default. */
  readonly poolSize?: number;
  /** How long a statement may run before the server ends it; 30 s by default. */
  readonly statementTimeoutMs?: number;
  /** How long to wait for the answer to a statement from a server that says nothing; 5 s beyond the former by default. */
  readonly answerTimeoutMs?: number;
  /** How long a statement may wait for a lock before the server ends it; as long as it may run by default. */
  readonly lockTimeoutMs?: number;
  /** How long a transaction may stand still between two statements before the server ends it; 10 s by default. */
  readonly idleInTransactionMs?: number;
  /** How long to wait for a connection; 5 s by default. */
  readonly connectTimeoutMs?: number;
  /** How old the plan of a prepared statement may be when it is used; for as long as PostgreSQL keeps it by default. */
  readonly plansLastMs?: number;
  /**
   * Prefers an index that has the order to a sort (`enable_sort`). A table that was analysed while it had one row seems to
   * have nothing to sort, and the whole backlog of a destination would be read to find its oldest delivery.
   */
  readonly avoidsSorts?: boolean;
  /** How long a write, or a costly read, waits for its account's turn before it is refused; 3 s by default. */
  readonly turnWaitMs?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * The driver's own 10 s close what a pause left idle, and the first requests after it wait for new connections: a SCRAM
 * login, a process of the server, and every prepared statement planned anew.
 */
const IDLE_CONNECTION_MS = 10 * 60_000;

/**
 * After so long an idle connection is asked whether anybody is there; the system's own two hours let a machine that is gone
 * without a word keep its idle connections, and each statement that got one waited for its answer in vain.
 */
const KEEP_ALIVE_MS = 5_000;

/**
 * Costs for the planner. A prepared statement is planned while its tables are small, on a new installation at
 * least, and keeps that plan until PostgreSQL analyses them, a minute or more after they have grown. So whatever an index
 * can answer is to be answered by it, however small the table: that costs microseconds there, and the other choice costs
 * seconds in a table that has grown (docs/adr/0003).
 */
const PLANNER_COSTS = { random_page_cost: 1.1, seq_page_cost: 4, cpu_tuple_cost: 0.1 };

/** Prisma writes instants without a zone, and means UTC; the server, a database or a role may be set to another one. */
const IN_UTC = { TimeZone: 'UTC' };

/** For a connection, where a pool that is full has not given up before (`connectTimeoutMs`). */
const TRANSACTION_WAIT_MS = 10_000;

/** A burst of one account's requests passes, and what is beyond it is refused at once. */
const MAX_WAITING_FOR_TURN = 100;

export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const settings = {
    ...notSetBy(options.url, {
      ...PLANNER_COSTS,
      ...(options.avoidsSorts && { enable_sort: 'off' }),
      statement_timeout: statementTimeoutMs,
      ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
      // A process that was frozen in the middle of a transaction must not keep its locks from the others.
      idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 10_000,
    }),
    ...IN_UTC,
  };
  const connectTimeoutMs = options.connectTimeoutMs ?? 5_000;
  const answerTimeoutMs = options.answerTimeoutMs ?? statementTimeoutMs + 5_000;
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
      // A pooler that is full answers the login, and lets the first statement wait.
      cutWhenSilent(client, connectTimeoutMs);
      await setInSession(client, settings);
      expectAnswersWithin(client, answerTimeoutMs);
    },
  });
  pool.on('error', (error) => options.onConnectionLost?.(error));
  leaveReadOnlySessions(pool);
  if (options.plansLastMs !== undefined) renewPlans(pool, options.plansLastMs);
  let prisma: Promise<PrismaClient> | undefined;
  return {
    prisma() {
      prisma ??= openPrisma(pool, statementTimeoutMs);
      return prisma;
    },
    pool,
    turns: new Gates({ places: 1, maxWaiting: MAX_WAITING_FOR_TURN, maxWaitMs: options.turnWaitMs ?? 3_000 }),
    async ping() {
      await pool.query('SELECT 1');
    },
    async close() {
      await (await prisma)?.$disconnect();
      await pool.end();
    },
  };
}

/** What a session begins with, by name, as pg_settings has it: durations in milliseconds. */
type SessionSettings = Readonly<Record<string, string | number>>;

/** Without those that the address sets itself, in its `options` or as a parameter of its own. */
function notSetBy(address: string, settings: SessionSettings): SessionSettings {
  // PostgreSQL takes `--random-page-cost` for `-c random_page_cost`, and capitals for small letters.
  const said = address.toLowerCase().replaceAll('-', '_');
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !said.includes(name.toLowerCase())));
}

/** Sets them by a statement: a start-up parameter does not pass PgBouncer, and would need a role of its own per service. */
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
  // Prisma's own 5 s are over before anything is done where the processor is busy elsewhere. The server ends what holds
  // locks without need: a statement, and a transaction that stands still.
  const transactionOptions = { maxWait: TRANSACTION_WAIT_MS, timeout: statementTimeoutMs };
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
}

/**
 * A table that was analysed while it was empty costs nothing to read from end to end, whatever costs the planner has.
 * So the statements of a connection are planned anew now and then, before whoever gets the connection uses it.
 */
function renewPlans(pool: pg.Pool, plansLastMs: number): void {
  const plannedAtMs = new WeakMap<pg.PoolClient, number>();
  pool.on('acquire', (client) => {
    const nowMs = performance.now();
    const plannedAt = plannedAtMs.get(client);
    if (plannedAt !== undefined && nowMs - plannedAt < plansLastMs) return;
    plannedAtMs.set(client, nowMs);
    // A new connection has no plans yet. Whoever uses this one next hears what is wrong with it.
    if (plannedAt !== undefined) client.query('DISCARD PLANS').catch(() => undefined);
  });
}

/** Either way to run a statement, alone or in a transaction. */
export type Statements = pg.Pool | pg.PoolClient | Prisma.TransactionClient;

/** @param query its name counts where the driver runs it: Prisma names its own. */
export async function rowsOf<Row>(
  client: Statements,
  query: { readonly name?: string; readonly text: string; readonly values: unknown[] },
): Promise<Row[]> {
  if ('$queryRawUnsafe' in client) return client.$queryRawUnsafe<Row[]>(query.text, ...query.values);
  return (await (client as pg.Pool).query(query)).rows;
}

/** Runs statements in one transaction on one connection; rolls back when `work` rejects. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The pool listens to idle connections only. One that breaks in use says so here too, and nobody listening would end
  // the process.
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
