import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type RunAddresses, readRunAddresses } from './run-addresses.js';

export interface SuiteAddresses {
  /** The database has all migrations and no rows. No other suite uses it. */
  readonly databaseUrl: string;
  /** FLUSHDB affects no other suite, because this logical database is used by one suite. */
  readonly redisUrl: string;
  /** Parts of one suite can use separate Redis keys. */
  readonly keyPrefix: string;
}

export type Cleanup = () => unknown;

const closingGraceMs = 3_000;
const pollMs = 25;

/** A test must close these Node handles. Timers and the channel to Jest are not included. */
const handleKinds = ['TCPServerWrap', 'TCPSocketWrap', 'TLSWrap', 'PipeServerWrap', 'ProcessWrap', 'UDPWrap'];

/** Resources are created outside the file's sandbox, so that leaks can be found after the file's last hook. */
export class SuiteResources {
  readonly #handlesBefore = countHandles();
  readonly #databases: string[] = [];
  readonly #cleanups: Cleanup[] = [];
  #opened: Promise<SuiteAddresses> | undefined;
  #redisDatabase: number | undefined;
  #ended = false;

  /** Returns the same addresses on every call. */
  open(): Promise<SuiteAddresses> {
    this.#opened ??= this.#open(readRunAddresses());
    return this.#opened;
  }

  /** Tests of the migrations need a database without tables. */
  createEmptyDatabase(): Promise<string> {
    return this.#createDatabase(readRunAddresses(), 'template0');
  }

  /** Cleanups run after the file's last hook, in reverse order. */
  onEnd(cleanup: Cleanup): void {
    this.#cleanups.push(cleanup);
  }

  /**
   * Runs the cleanups and drops the databases.
   * @throws Error that lists what is still open, one line each.
   */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const problems: string[] = [];
    for (const cleanup of this.#cleanups.reverse()) {
      await Promise.resolve()
        .then(cleanup)
        .catch((error: unknown) => problems.push(`a cleanup failed: ${error}`));
    }
    problems.push(...(await settled(() => this.#openConnections())), ...(await settled(() => this.#openHandles())));
    await this.#dropDatabases();
    if (problems.length > 0) throw new Error(`The suite left something open:\n  ${problems.join('\n  ')}`);
  }

  async #open(run: RunAddresses): Promise<SuiteAddresses> {
    const [databaseUrl, redisDatabase] = await Promise.all([
      this.#createDatabase(run, run.template),
      claimRedisDatabase(run),
    ]);
    this.#redisDatabase = redisDatabase;
    return {
      databaseUrl,
      redisUrl: withPath(run.redisUrl, String(redisDatabase)),
      keyPrefix: `suite-${randomBytes(4).toString('hex')}`,
    };
  }

  async #createDatabase(run: RunAddresses, template: string): Promise<string> {
    const name = `suite_${process.pid}_${randomBytes(4).toString('hex')}`;
    await query(run, `CREATE DATABASE ${name} TEMPLATE ${template}`);
    this.#databases.push(name);
    return withPath(run.postgresUrl, name);
  }

  async #openConnections(): Promise<string[]> {
    const problems: string[] = [];
    if (this.#databases.length > 0) {
      const rows = await query<{ application_name: string; state: string; query: string }>(
        readRunAddresses(),
        'SELECT application_name, state, query FROM pg_stat_activity WHERE datname = ANY($1)',
        [this.#databases],
      );
      problems.push(
        ...rows.map((row) => `a PostgreSQL connection "${row.application_name}" (${row.state}: ${row.query.trim()})`),
      );
    }
    if (this.#redisDatabase !== undefined) {
      const clients = await redisClients(readRunAddresses(), this.#redisDatabase);
      problems.push(...clients.map((client) => `a Redis connection ${client}`));
    }
    return problems;
  }

  async #openHandles(): Promise<string[]> {
    const now = countHandles();
    return handleKinds
      .map((kind) => ({ kind, more: (now.get(kind) ?? 0) - (this.#handlesBefore.get(kind) ?? 0) }))
      .filter(({ more }) => more > 0)
      .map(({ kind, more }) => `${more} ${kind}`);
  }

  async #dropDatabases(): Promise<void> {
    for (const name of this.#databases) await query(readRunAddresses(), `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

/** Sockets close a moment later, so the check is repeated for a grace period. */
async function settled(look: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + closingGraceMs;
  for (;;) {
    const problems = await look();
    if (problems.length === 0 || performance.now() > end) return problems;
    await sleep(pollMs);
  }
}

async function query<Row extends pg.QueryResultRow>(
  run: RunAddresses,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: run.postgresUrl, application_name: 'harness' });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function claimRedisDatabase(run: RunAddresses): Promise<number> {
  const redis = new Redis(run.redisUrl);
  try {
    const count = await redis.incr('harness:suites');
    const database = 1 + ((count - 1) % (run.redisDatabases - 1));
    await redis.select(database);
    await redis.flushdb();
    return database;
  } finally {
    await redis.quit();
  }
}

async function redisClients(run: RunAddresses, database: number): Promise<string[]> {
  const redis = new Redis(run.redisUrl);
  try {
    const list = (await redis.client('LIST')) as string;
    return list
      .split('\n')
      .filter((line) => line.includes(` db=${database} `))
      .map((line) => line.match(/\b(?:addr|name|age|flags|cmd)=\S*/g)?.join(' ') ?? line);
  } finally {
    await redis.quit();
  }
}

function withPath(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
