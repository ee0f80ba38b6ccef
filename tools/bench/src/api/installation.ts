import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { inCheckout } from '../checkout.js';
import { type DataServers, openPool } from '../processes/data-servers.js';
import {
  asInItsImage,
  type MeasuredProcess,
  type MeasuredProgram,
  startMeasured,
} from '../processes/measured-process.js';
import { type Dataset, seedDataset } from './dataset.js';

/** Settings of a PostgreSQL that is thrown away, and is filled as fast as it can be. */
export const QUICKLY_FILLED = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '1GB',
  work_mem: '256MB',
  maintenance_work_mem: '512MB',
  autovacuum: 'off',
};

/** A database with its readers, and the servers over it. */
export interface Installation {
  readonly databaseUrl: string;
  readonly dataset: Dataset;
  /** @param through addresses in place of those of the data servers. */
  startApi(through?: { readonly databaseUrl: string; readonly redisUrl: string }): Promise<MeasuredProcess>;
  startBareExpress(): Promise<MeasuredProcess>;
  /** Stops what was started here. */
  stop(): Promise<void>;
}

export interface InstallationOptions {
  readonly data: DataServers;
  /** Of its database, and in the names of its logs and profiles. */
  readonly name: string;
  /** In the table of changes, those of the readers included. */
  readonly changes: number;
  readonly profileDirectory: string | undefined;
}

export async function createInstallation({
  data,
  name,
  changes,
  profileDirectory,
}: InstallationOptions): Promise<Installation> {
  const databaseUrl = await data.copyDatabase(data.databaseUrl, name);
  const pool = openPool(databaseUrl, 2);
  const dataset = await seedDataset(pool, changes).finally(() => pool.end());
  const started: MeasuredProcess[] = [];

  const start = async (server: string, program: Pick<MeasuredProgram, 'main' | 'options' | 'env'>) => {
    const serverName = `${server}-${name}-${started.length + 1}`;
    const logFile = path.join(data.directory, `${serverName}.log`);
    const measured = await startMeasured({ ...program, name: serverName, logFile, profileDirectory });
    started.push(measured);
    return measured;
  };
  return {
    databaseUrl,
    dataset,
    startApi: (through = { databaseUrl, redisUrl: data.redisUrl }) =>
      start(
        'api',
        asInItsImage('api', {
          DATABASE_POOL_SIZE: '10',
          DATABASE_URL: through.databaseUrl,
          REDIS_URL: through.redisUrl,
          API_PORT: '0',
          ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        }),
      ),
    startBareExpress: () =>
      start('bare-express', {
        main: inCheckout('tools/bench/dist/api/bare-express-main.js'),
        env: {
          ...process.env,
          NODE_ENV: 'production',
          DATABASE_POOL_SIZE: '10',
          DATABASE_URL: databaseUrl,
          ACCOUNT_IDS: dataset.ofOneArtist.map(({ accountId }) => accountId).join(','),
        },
      }),
    stop: async () => {
      await Promise.all(started.map((measured) => measured.stop()));
    },
  };
}
