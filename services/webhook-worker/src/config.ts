import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import {
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  durationListMs,
  encryptionKey,
  httpUrl,
  httpUrlList,
  integer,
  readSettings,
  redisUrl,
  retiredKeys,
  type Settings,
  serviceSettings,
  timeoutMs,
} from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';

const shape = {
  ...serviceSettings,
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES['webhook-worker'])),
  REDIS_URL: redisUrl(),
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  /** Webhooks are never sent without a proxy. */
  EGRESS_PROXY_URLS: httpUrlList(),
  ENCRYPTION_KEY: encryptionKey(),
  ENCRYPTION_KEYS_RETIRED: retiredKeys(),
  /** Each delay runs from the end of a failed attempt to the start of the next one. */
  WEBHOOK_RETRY_DELAYS: durationListMs().prefault('1m,5m,30m,2h,6h'),
  WEBHOOK_TIMEOUT: timeoutMs().prefault('10s'),
  /** A destination is switched off after this many consecutive failures. */
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).prefault('20'),
  /** Maximum number of concurrent requests. Each account gets at most an eighth of them. */
  WEBHOOK_CONCURRENCY: integer({ min: 1, max: 10_000 }).prefault('256'),
  /** If it is set, chat messages link to the change. */
  DASHBOARD_URL: httpUrl().optional(),
  /** Additional certificate authorities (PEM), for receivers on a company network. */
  WEBHOOK_CA_FILE: z.string().optional(),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
} as const;

export type WorkerConfig = Settings<typeof shape>;

export function readConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  return readSettings(shape, env);
}
