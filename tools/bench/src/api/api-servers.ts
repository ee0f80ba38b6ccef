import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { inCheckout } from '../checkout.js';
import { type DataServers, startDataServers } from '../processes/data-servers.js';
import { type MeasuredProcess, startMeasured } from '../processes/measured-process.js';
import { type Dataset, seedDataset } from './dataset.js';

/** The product and the limit that it is compared with, over one database. */
export interface ApiServers {
  readonly data: DataServers;
  readonly redis: Redis;
  /** Of the same database as the servers. */
  readonly pool: pg.Pool;
  readonly dataset: Dataset;
  readonly api: MeasuredProcess;
  readonly bare: MeasuredProcess;
  stop(): Promise<void>;
}

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  autovacuum: 'off',
};

/** @param changeCount in the table of changes, those of the readers included. */
export async function startApiServers(changeCount: number, profileDirectory: string | undefined): Promise<ApiServers> {
  const data = await startDataServers(settings);
  const stops: Array<() => Promise<unknown>> = [];
  const stop = async () => {
    for (const stopPart of stops.reverse()) await stopPart();
    await data.stop();
  };
  try {
    const redis = new Redis(data.redisUrl);
    stops.push(async () => redis.disconnect());
    const pool = new pg.Pool({ connectionString: data.databaseUrl, max: 2 });
    stops.push(() => pool.end());
    const dataset = await seedDataset(pool, changeCount);
    const start = async (name: string, main: string, own: NodeJS.ProcessEnv) => {
      const env = {
        ...process.env,
        DATABASE_URL: data.databaseUrl,
        DATABASE_POOL_SIZE: '10',
        NODE_ENV: 'production',
        ...own,
      };
      const logFile = path.join(data.directory, `${name}.log`);
      const started = await startMeasured({ name, main: inCheckout(main), env, logFile, profileDirectory });
      stops.push(() => started.stop());
      return started;
    };
    const api = await start('api', 'services/api/dist/main.js', {
      REDIS_URL: data.redisUrl,
      API_PORT: '0',
      OPS_PORT: '0',
      LISTEN_HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    const bare = await start('bare-express', 'tools/bench/dist/api/bare-express-main.js', {
      ACCOUNT_IDS: dataset.ofOneArtist.map(({ accountId }) => accountId).join(','),
    });
    return { data, redis, pool, dataset, api, bare, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
