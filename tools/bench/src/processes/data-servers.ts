import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { startPostgres } from '@artist-watch/local-stack/embedded-postgres';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { findRedis } from '@artist-watch/local-stack/redis/find-redis';
import { startRedis } from '@artist-watch/local-stack/redis-server';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import pg from 'pg';
import { allowAllCores } from './pinning.js';

export interface DataServers {
  /** Of a migrated database without a row. */
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly redisUrl: string;
  readonly redisPid: number;
  /** Where logs and whatever else goes with the run may be put. */
  readonly directory: string;
  /** A copy of a database under another name. Nobody may be connected to it. */
  copyDatabase(databaseUrl: string, name: string): Promise<string>;
  /** Stops both and removes the directory. */
  stop(): Promise<void>;
}

export interface DataServersOptions {
  /** Lets PostgreSQL use the core of what is measured too; unless set, it stays with the rest. */
  readonly postgresOnAllCores?: boolean;
}

/** A real PostgreSQL and a real Redis for one run. They end with this process, however it ends. */
export async function startDataServers(
  postgresSettings: Readonly<Record<string, string>>,
  { postgresOnAllCores = false }: DataServersOptions = {},
): Promise<DataServers> {
  return startTemporaryServers('artist-watch-bench-', async ({ directory, reaper, keep, stop }) => {
    const redis = await startRedis({
      program: await findRedis((line) => process.stderr.write(`${line}\n`)),
      directory: path.join(directory, 'redis'),
      logFile: path.join(directory, 'redis.log'),
      reaper,
    });
    keep(redis);
    const postgres = await startPostgres({
      directory: path.join(directory, 'postgres'),
      password: randomBytes(16).toString('hex'),
      logFile: path.join(directory, 'postgres.log'),
      database: 'artist_watch',
      settings: postgresSettings,
      reaper,
    });
    keep(postgres);
    if (postgresOnAllCores) allowAllCores(postgres.pid);
    await migrate(postgres.url);
    return {
      databaseUrl: postgres.url,
      postgresPid: postgres.pid,
      redisUrl: redis.url,
      redisPid: redis.pid,
      directory,
      copyDatabase,
      stop,
    };
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
export function openPool(databaseUrl: string, connections: number): pg.Pool {
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
