import path from 'node:path';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import pg from 'pg';
import { placeOfServers } from './place-of-servers.js';
import type { RunAddresses } from './run-addresses.js';

export interface RunServers {
  readonly addresses: RunAddresses;
  stop(): Promise<void>;
}

const template = 'suite_template';
const redisDatabases = 1_000;

export async function startRunServers(): Promise<RunServers> {
  return startTemporaryServers(path.join(await placeOfServers(), 'artist-watch-tests-'), async (servers) => {
    const redis = await servers.redis('redis', { databases: redisDatabases });
    // The data is deleted after the run, so it need not survive a power failure.
    const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };
    const postgres = await servers.postgres({ database: template, settings });
    await migrate(postgres.url);
    const postgresUrl = new URL(postgres.url);
    postgresUrl.pathname = '/postgres';
    await closeTemplate(postgresUrl.href);
    return {
      addresses: { postgresUrl: postgresUrl.href, template, redisUrl: redis.url, redisDatabases },
      stop: servers.stop,
    };
  });
}

/** A database cannot be cloned while a client is connected to it. */
async function closeTemplate(postgresUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`ALTER DATABASE ${template} ALLOW_CONNECTIONS false IS_TEMPLATE true`);
  await client.end();
}
