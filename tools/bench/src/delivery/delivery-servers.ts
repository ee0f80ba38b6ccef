import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { writeCertificates } from '@artist-watch/harness/certificates';
import { createSecretBox, type SecretBox } from '@artist-watch/persistence/secret-box';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { inCheckout } from '../checkout.js';
import { type DataServers, type DataServersOptions, openPool, startDataServers } from '../processes/data-servers.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import {
  asInItsImage,
  type MeasuredProcess,
  type MeasuredProgram,
  SERVICE,
  startMeasured,
} from '../processes/measured-process.js';
import type { IngestAddress } from './report-and-receive.js';

/** All that delivers, except the workers. */
export interface DeliveryServers {
  readonly data: DataServers;
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly box: SecretBox;
  readonly ingest: IngestAddress & { readonly pid: number };
  readonly receiver: MeasuredProcess;
  /** One for each of the receiver's ports, without a path. */
  readonly receiverUrls: readonly string[];
  readonly proxy: MeasuredProcess;
  readonly proxyUrl: string;
  readonly caFile: string;
  startWorker(name: string, settings?: Settings, isBeside?: boolean): Promise<MeasuredProcess>;
  /** Another service of the house, on the same stores, with the core of what is measured. */
  startService(name: string, settings: Settings, isBeside?: boolean): Promise<MeasuredProcess>;
  /** Starts another program that ends with the others. */
  start(program: Omit<MeasuredProgram, 'logFile'>): Promise<MeasuredProcess>;
  /** CPU used so far by each of the processes that take part. */
  cpuMs(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export type Settings = Readonly<Record<string, string>>;

const RECEIVER_PORTS = 16;

const postgresSettings = { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '30min' };

export async function startDeliveryServers({
  profileDirectory,
  ingestSettings = {},
  postgresOnAllCores = false,
  scheme = 'https',
  profilesAll = false,
}: DataServersOptions & {
  readonly profileDirectory?: string | undefined;
  /** Of change-ingest and the proxy too, and not only of what is measured. */
  readonly profilesAll?: boolean;
  readonly ingestSettings?: Settings;
  /** Of the receivers. */
  readonly scheme?: 'http' | 'https';
}): Promise<DeliveryServers> {
  const data = await startDataServers(postgresSettings, { postgresOnAllCores });
  const stops: Array<() => unknown> = [];
  const stop = async () => {
    for (const stopPart of stops.reverse()) await stopPart();
    await data.stop();
  };
  const start: DeliveryServers['start'] = async (program) => {
    const started = await startMeasured({ ...program, logFile: path.join(data.directory, `${program.name}.log`) });
    stops.push(() => started.stop());
    return started;
  };
  try {
    const pool = openPool(data.databaseUrl, 4);
    stops.push(() => pool.end());
    const redis = new Redis(data.redisUrl);
    stops.push(() => redis.disconnect());
    const key = randomBytes(32);
    const token = randomBytes(16).toString('hex');
    const files = await writeCertificates(data.directory);
    const besides = (name: string, program: Pick<MeasuredProgram, 'main' | 'options' | 'env'>) =>
      start({ name, isBeside: true, ...(profilesAll && { profileDirectory }), ...program });
    const stores = { DATABASE_URL: data.databaseUrl, REDIS_URL: data.redisUrl };

    const receiver = await besides('receiver', {
      main: inCheckout('tools/bench/dist/delivery/receiver-main.js'),
      env: {
        ...process.env,
        ...SERVICE,
        ...(scheme === 'https' && { KEY_FILE: files.key, CERTIFICATE_FILE: files.certificate }),
        PORTS: String(RECEIVER_PORTS),
      },
    });
    const proxy = await besides(
      'egress-proxy',
      asInItsImage('egress-proxy', { EGRESS_PORT: '0', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' }),
    );
    const ingest = await besides(
      'change-ingest',
      asInItsImage('change-ingest', {
        ...stores,
        INGEST_PORT: '0',
        INGEST_TOKEN: token,
        // Nobody answers there: artists without a time to be read are not read.
        PLATFORM_URL: 'http://127.0.0.1:9',
        ...ingestSettings,
      }),
    );
    const proxyUrl = `http://127.0.0.1:${proxy.addresses.egress}`;
    const pids = { postgres: data.postgresPid, redis: data.redisPid };
    const processes = { 'change-ingest': ingest, 'egress-proxy': proxy, receiver };
    return {
      data,
      pool,
      redis,
      box: createSecretBox(key),
      ingest: { port: Number(ingest.addresses.ingest), token, pid: ingest.pid },
      receiver,
      receiverUrls: Object.values(receiver.addresses).map((port) => `${scheme}://127.0.0.1:${port}`),
      proxy,
      proxyUrl,
      caFile: files.authority,
      startWorker: (name, settings = {}, isBeside = false) =>
        start({
          name,
          isBeside,
          profileDirectory,
          ...asInItsImage('webhook-worker', {
            ...stores,
            EGRESS_PROXY_URLS: proxyUrl,
            ENCRYPTION_KEY: key.toString('base64'),
            WEBHOOK_CA_FILE: files.authority,
            ...settings,
          }),
        }),
      startService: (name, settings, isBeside = false) =>
        start({
          name,
          isBeside,
          profileDirectory,
          ...asInItsImage(name, { ...stores, ENCRYPTION_KEY: key.toString('base64'), ...settings }),
        }),
      start,
      cpuMs: () => ({
        ...Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, familyCpuMs(pid)])),
        ...Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, familyCpuMs(pid)])),
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Forgets all deliveries, in the record and in the queue. No worker may be running. */
export async function clearDeliveries({ pool, redis }: DeliveryServers): Promise<void> {
  await pool.query('TRUNCATE attempts, deliveries, feed_items');
  await redis.flushdb();
}
