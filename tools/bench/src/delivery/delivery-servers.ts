import { writeCertificates } from '@artist-watch/harness/certificates';
import { createSecretBox, type SecretBox } from '@artist-watch/persistence/secret-box';
import type pg from 'pg';
import { type BenchServers, onServers, type ServersOptions, type Settings } from '../processes/bench-servers.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import type { MeasuredProcess, MeasuredProgram } from '../processes/measured-process.js';
import type { IngestAddress } from './report-and-receive.js';

export interface DeliveryServers extends BenchServers {
  readonly pool: pg.Pool;
  readonly box: SecretBox;
  readonly ingest: IngestAddress & { readonly pid: number };
  readonly receiver: MeasuredProcess;
  readonly receiverUrls: readonly string[];
  readonly okUrls: readonly string[];
  readonly proxy: MeasuredProcess;
  readonly proxyUrl: string;
  readonly caFile: string;
  startWorker(name: string, settings?: Settings, isBeside?: boolean): Promise<MeasuredProcess>;
  cpuMs(): Readonly<Record<string, number>>;
  isAny(state: keyof typeof DELIVERIES): Promise<boolean>;
  attempts(): Promise<number>;
}

const RECEIVER_PORTS = 16;

const DELIVERIES = { pending: "state = 'pending'", waiting: 'relay_at IS NOT NULL' };

export const LONG_RUN_POSTGRES = { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '30min' };

interface DeliveryServersOptions extends Omit<ServersOptions, 'postgresSettings'> {
  readonly profilesAll?: boolean;
  readonly ingestSettings?: Settings;
  readonly scheme?: 'http' | 'https';
}

export function onDeliveryServers<Result>(
  { ingestSettings = {}, scheme = 'https', profilesAll = false, ...options }: DeliveryServersOptions,
  work: (servers: DeliveryServers) => Promise<Result>,
): Promise<Result> {
  return onServers({ postgresSettings: LONG_RUN_POSTGRES, ...options }, async (servers) => {
    const { databaseUrl, directory, encryptionKey, postgresPid, redisPid, start, startService } = servers;
    const files = await writeCertificates(directory);
    const besides: Partial<MeasuredProgram> = { isBeside: true, profiled: profilesAll };
    const receiver = await start({
      name: 'receiver',
      main: 'tools/bench/dist/delivery/receiver-main.js',
      env: {
        ...(scheme === 'https' && { KEY_FILE: files.key, CERTIFICATE_FILE: files.certificate }),
        PORTS: String(RECEIVER_PORTS),
      },
      ...besides,
    });
    const allowed = { EGRESS_PORT: '0', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
    const proxy = await startService('egress-proxy', allowed, besides);
    const token = 'the-token-of-ingest-in-this-bench';
    // No poll is scheduled, so this URL is never called.
    const reporting = { INGEST_PORT: '0', INGEST_TOKEN: token, PLATFORM_URL: 'http://127.0.0.1:9', ...ingestSettings };
    const ingest = await startService('change-ingest', reporting, besides);
    const proxyUrl = `http://127.0.0.1:${proxy.addresses.egress}`;
    const receiverUrls = Object.values(receiver.addresses).map((port) => `${scheme}://127.0.0.1:${port}`);
    const pids = {
      ...{ postgres: postgresPid, redis: redisPid },
      ...{ 'change-ingest': ingest.pid, 'egress-proxy': proxy.pid, receiver: receiver.pid },
    };
    const pool = servers.openPool(databaseUrl, 4);
    return work({
      ...servers,
      pool,
      box: createSecretBox(encryptionKey),
      ingest: { port: Number(ingest.addresses.ingest), token, pid: ingest.pid },
      receiver,
      receiverUrls,
      okUrls: receiverUrls.map((url) => `${url}/ok`),
      proxy,
      proxyUrl,
      caFile: files.authority,
      startWorker: (name, settings = {}, isBeside = false) =>
        startService(
          'webhook-worker',
          { EGRESS_PROXY_URLS: proxyUrl, WEBHOOK_CA_FILE: files.authority, ...settings },
          { name, isBeside },
        ),
      cpuMs: () => Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, familyCpuMs(pid)])),
      isAny: async (state) =>
        (await pool.query(`SELECT FROM deliveries WHERE ${DELIVERIES[state]} LIMIT 1`)).rowCount !== 0,
      attempts: async () => (await pool.query('SELECT count(*)::int AS count FROM attempts')).rows[0].count,
    });
  });
}

/** Stop all workers before calling this function. */
export async function clearDeliveries({ pool, redis }: DeliveryServers): Promise<void> {
  await pool.query('TRUNCATE attempts, deliveries, feed_items');
  await redis.flushdb();
}
