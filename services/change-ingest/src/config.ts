import { platformSettings } from '@artist-watch/catalogue/create-platform-client';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  decimal,
  durationMs,
  flag,
  httpSettings,
  httpUrl,
  ingestTokens,
  integer,
  port,
  readSettings,
  redisUrl,
  type Settings,
  serviceSettings,
  servingSettings,
} from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';

const shape = {
  ...serviceSettings,
  ...servingSettings,
  ...httpSettings,
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES['change-ingest'])),
  REDIS_URL: redisUrl(),
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),

  INGEST_PORT: port().prefault('8081'),
  INGEST_TOKEN: ingestTokens(),

  ...platformSettings,

  KEEP_PICTURES: flag().prefault('true'),
  /** Default: the origin of PLATFORM_URL, or the platform's picture server. */
  PLATFORM_PICTURES_URL: httpUrl().optional(),

  POLL_CONCURRENCY: integer({ min: 1, max: 1_000 }).prefault('16'),
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),

  ...confirmationSettings,

  /** The sweeper re-queues deliveries that have been due for longer than this. */
  SWEEP_INTERVAL: durationMs().prefault('10s'),

  /** Serves a read-only Bull Board page at /queues on the operations port. */
  QUEUE_PAGE: flag().prefault('false'),
} as const;

export type IngestConfig = Settings<typeof shape>;

/** @throws SettingsError that lists every invalid setting. */
export function readConfig(env: NodeJS.ProcessEnv): IngestConfig {
  return readSettings(shape, env);
}
