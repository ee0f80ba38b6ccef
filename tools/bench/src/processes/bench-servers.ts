import { randomBytes } from 'node:crypto';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { Redis } from 'ioredis';
import pg from 'pg';
import { asInItsImage, type MeasuredProcess, type MeasuredProgram, startMeasured } from './measured-process.js';
import { allowAllCores } from './pinning.js';

/** What a benchmark runs on: a real PostgreSQL, a real Redis, and the programs that it starts. All end with it. */
export interface BenchServers {
  /** Of a migrated database without a row. */
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly redisPid: number;
  /** ENCRYPTION_KEY of the services. */
  readonly encryptionKey: Uint8Array;
  /** Where logs and whatever else goes with the run may be put. */
  readonly directory: string;
  /** A copy of the database under another name; its address. Nobody may be connected to the first. */
  copyDatabase(name: string): Promise<string>;
  openPool(databaseUrl: string, connections: number): pg.Pool;
  start(program: MeasuredProgram): Promise<MeasuredProcess>;
  /** A service of the house as it is in its image, on these stores unless its settings name others. */
  startService(stage: string, settings: Settings, more?: Partial<MeasuredProgram>): Promise<MeasuredProcess>;
}

export type Settings = Readonly<Record<string, string>>;

export interface ServersOptions {
  readonly postgresSettings: Settings;
  /** Lets PostgreSQL use the core of what is measured too; unless set, it stays with the rest. */
  readonly postgresOnAllCores?: boolean;
  /** Where CPU profiles go of programs that are to have one. */
  readonly profileDirectory?: string | undefined;
}

/** Starts the servers, does the work, and stops everything, however the work or this process ends. */
export async function onServers<Result>(
  { postgresSettings, postgresOnAllCores = false, profileDirectory }: ServersOptions,
  work: (servers: BenchServers) => Promise<Result>,
): Promise<Result> {
  return startTemporaryServers('artist-watch-bench-', async ({ directory, stop, ...temporary }) => {
    const ownRedis = await temporary.redis('redis');
    const postgres = await temporary.postgres({ database: 'artist_watch', settings: postgresSettings });
    if (postgresOnAllCores) allowAllCores(postgres.pid);
    await migrate(postgres.url);

    const redis = new Redis(ownRedis.url);
    const encryptionKey = randomBytes(32);
    const stops: (() => unknown)[] = [() => redis.disconnect()];
    const start: BenchServers['start'] = async (program) => {
      const started = await startMeasured(program, directory, profileDirectory);
      stops.push(() => started.stop());
      return started;
    };
    const stores = {
      DATABASE_URL: postgres.url,
      REDIS_URL: ownRedis.url,
      ENCRYPTION_KEY: encryptionKey.toString('base64'),
    };
    const servers: BenchServers = {
      databaseUrl: postgres.url,
      postgresPid: postgres.pid,
      redis,
      redisUrl: ownRedis.url,
      redisPid: ownRedis.pid,
      encryptionKey,
      directory,
      copyDatabase: (name) => copyDatabase(postgres.url, name),
      openPool(databaseUrl, connections) {
        const pool = openPool(databaseUrl, connections);
        stops.push(() => pool.end());
        return pool;
      },
      start,
      startService: (stage, settings, more) =>
        start({ name: stage, profiled: true, ...asInItsImage(stage, { ...stores, ...settings }), ...more }),
    };
    const result = await work(servers).finally(async () => {
      for (const stopPart of stops.reverse()) await stopPart();
    });
    await stop();
    return result;
  });
}

async function copyDatabase(databaseUrl: string, name: string): Promise<string> {
  const [from, maintenance, to] = [new URL(databaseUrl), new URL(databaseUrl), new URL(databaseUrl)];
  maintenance.pathname = '/postgres';
  to.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${from.pathname.slice(1)}`);
  } finally {
    await client.end();
  }
  return to.href;
}

/**
 * Connections that the servers may outlive or not: `end()` of a pool does not wait until its sockets are closed, and the
 * word of a PostgreSQL that stops meanwhile would end a process without a listener for it.
 */
function openPool(databaseUrl: string, connections: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, application_name: 'bench' });
  pool.on('error', () => undefined);
  return pool;
}

/**
 * For millions of rows: empties the tables, takes away the indexes that hold no constraint and the look-ups of foreign
 * keys, does the work, and builds the indexes again, all in one transaction. With `wal_level` minimal PostgreSQL then
 * writes no log of rows whose table is new to the transaction.
 */
export async function fillQuickly(
  pool: pg.Pool,
  tables: readonly string[],
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL session_replication_role = 'replica'");
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
         FROM pg_index i
        WHERE i.indrelid::regclass::text = ANY($1)
          AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
      [tables],
    );
    for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
    await client.query(`TRUNCATE ${tables.join(', ')} CASCADE`);
    await work(client);
    for (const { definition } of rows) await client.query(definition);
    await client.query('COMMIT');
  } finally {
    // A transaction that was not committed ends with its connection.
    client.release(true);
  }
}
