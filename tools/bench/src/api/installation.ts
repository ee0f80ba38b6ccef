import type { BenchServers } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { type Dataset, seedDataset } from './dataset.js';

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

export interface Installation {
  readonly databaseUrl: string;
  readonly dataset: Dataset;
  /** @param through URLs of proxies to use in place of the data servers. */
  startApi(through?: { readonly DATABASE_URL: string; readonly REDIS_URL: string }): Promise<MeasuredProcess>;
  startBareExpress(): Promise<MeasuredProcess>;
}

/** @param name also used to name the logs and profiles. */
export async function createInstallation(servers: BenchServers, name: string, changes: number): Promise<Installation> {
  const databaseUrl = await servers.copyDatabase(name);
  const dataset = await seedDataset(servers.openPool(databaseUrl, 2), changes);
  let started = 0;
  const nameOf = (server: string) => `${server}-${name}-${++started}`;
  const POOL = { DATABASE_POOL_SIZE: '10', DATABASE_URL: databaseUrl };
  return {
    databaseUrl,
    dataset,
    startApi: (through) => servers.startService('api', { ...POOL, API_PORT: '0', ...through }, { name: nameOf('api') }),
    startBareExpress: () =>
      servers.start({
        name: nameOf('bare-express'),
        profiled: true,
        main: 'tools/bench/dist/api/bare-express-main.js',
        env: { ...POOL, ACCOUNT_IDS: dataset.ofOneArtist.map(({ accountId }) => accountId).join(',') },
      }),
  };
}
