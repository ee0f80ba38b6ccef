import { randomBytes } from 'node:crypto';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type MeasuredProcess, type MeasuredProgram, programOfImage, startMeasured } from './measured-process.js';
import { allowAllCores } from './pinning.js';

export interface BenchServers {
  /** An empty database with all migrations applied. */
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly redisPid: number;
  readonly encryptionKey: Uint8Array;
  readonly directory: string;
  /** Returns the copy's URL. The original must not have any open connections. */
  copyDatabase(name: string): Promise<string>;
  openPool(databaseUrl: string, connections: number): pg.Pool;
  start(program: MeasuredProgram): Promise<MeasuredProcess>;
  /** Starts a service with its image's command. By default, it uses these PostgreSQL and Redis servers. */
  startService(stage: string, settings: Settings, more?: Partial<MeasuredProgram>): Promise<MeasuredProcess>;
}

export type Settings = Readonly<Record<string, string>>;

export interface ServersOptions {
  readonly postgresSettings: Settings;
  /** By default, PostgreSQL stays off the measured core. */
  readonly postgresOnAllCores?: boolean;
  readonly profileDirectory?: string | undefined;
}

/** Stops the servers once `work` is done, even if it fails. */
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
        start({ name: stage, profiled: true, ...programOfImage(stage, { ...stores, ...settings }), ...more }),
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

/** An unhandled error, such as a shutdown message from PostgreSQL, would end this process. */
function openPool(databaseUrl: string, connections: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, application_name: 'bench' });
  pool.on('error', () => undefined);
  return pool;
}

/**
 * Truncates and fills the tables in a single transaction, because PostgreSQL then writes no WAL for them (`wal_level`
 * minimal).
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
    // Closing the connection rolls back an uncommitted transaction.
    client.release(true);
  }
}
