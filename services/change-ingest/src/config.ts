import { platformSettings } from '@artist-watch/catalogue/platform-settings';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  decimal,
  durationMs,
  flag,
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
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES['change-ingest'])),
  REDIS_URL: redisUrl(),
  /** In front of every key in Redis. */
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),

  INGEST_PORT: port().prefault('8081'),
  /** The bearer credentials of /ingest/v1. */
  INGEST_TOKEN: ingestTokens(),

  ...platformSettings,

  /** Whether the pictures that changes name are fetched and kept, for the dashboard. */
  KEEP_PICTURES: flag().prefault('true'),
  /** Where they are fetched: the origin of PLATFORM_URL where that is given, otherwise the platform's own. */
  PLATFORM_PICTURES_URL: httpUrl().optional(),

  /** Artists that this process reads at once. */
  POLL_CONCURRENCY: integer({ min: 1, max: 1_000 }).prefault('16'),
  /** Scales the plans' intervals; for tests. */
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),

  ...confirmationSettings,

  /** How often the sweeper runs, and for how long a delivery has been due when the sweeper adds it to the queue again. */
  SWEEP_INTERVAL: durationMs().prefault('10s'),

  /** Bull Board, to look at and nothing else, at /queues of the operations port. */
  QUEUE_PAGE: flag().prefault('false'),
} as const;

export type IngestConfig = Settings<typeof shape>;

/** Throws a SettingsError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv): IngestConfig {
  return readSettings(shape, env);
}
