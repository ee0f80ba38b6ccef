import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import {
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  durationListMs,
  encryptionKey,
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
  /** In front of every key in Redis. */
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  /** Forward proxies, used in turn; the only way out. */
  EGRESS_PROXY_URLS: httpUrlList(),
  ENCRYPTION_KEY: encryptionKey(),
  ENCRYPTION_KEYS_RETIRED: retiredKeys(),
  /** From the end of a failed attempt to the next one, in order; one more attempt than delays. */
  WEBHOOK_RETRY_DELAYS: durationListMs().prefault('1m,5m,30m,2h,6h'),
  /** From the request being sent to its status line. */
  WEBHOOK_TIMEOUT: timeoutMs().prefault('10s'),
  /** Failures in a row that switch a destination off. */
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).prefault('20'),
  /** Requests that this process has on the wire at the same time; an account has at most an eighth of them. */
  WEBHOOK_CONCURRENCY: integer({ min: 1, max: 10_000 }).prefault('256'),
  /** A file of certificate authorities (PEM) to trust besides Node's own; for receivers inside a company. */
  WEBHOOK_CA_FILE: z.string().optional(),
  /** Node's own setting of the same kind, for everything that this process speaks to. */
  NODE_EXTRA_CA_CERTS: z.string().optional(),
} as const;

export type WorkerConfig = Settings<typeof shape>;

export function readConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  return readSettings(shape, env);
}
