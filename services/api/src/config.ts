import {
  databaseUrl,
  encryptionKey,
  integer,
  port,
  readSettings,
  redisUrl,
  type Settings,
  serviceSettings,
} from '@artist-watch/runtime/settings';

const shape = {
  ...serviceSettings,
  DATABASE_URL: databaseUrl(),
  REDIS_URL: redisUrl(),
  /** {base_url} is http://host:API_PORT/v1. */
  API_PORT: port().prefault('8080'),
  /** 32 bytes, base64: seals signing secrets and makes cursors. */
  ENCRYPTION_KEY: encryptionKey(),
  /** Connections to PostgreSQL at most. */
  DATABASE_POOL_SIZE: integer({ min: 1, max: 500 }).prefault('10'),
} as const;

export type Config = Settings<typeof shape>;

/** The only reader of the environment. Throws a SettingsError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return readSettings(shape, env);
}
