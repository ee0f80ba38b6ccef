import { parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/create-platform-client';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  apiUrl,
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  decimal,
  durationMs,
  encryptionKey,
  httpSettings,
  httpUrl,
  httpUrlList,
  listOf,
  port,
  readSettings,
  redisUrl,
  retiredKeys,
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
  REDIS_URL: redisUrl(),
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  /** The API's base URL is http://HOST:API_PORT/v1. */
  API_PORT: port().prefault('8080'),
  /** Base URL for links to the API. By default, links contain only the path. */
  API_PUBLIC_URL: apiUrl().optional(),
  /** As in webhook-worker, for the shown requests of chat messages. */
  DASHBOARD_URL: httpUrl().optional(),
  /** X-Forwarded-For is trusted only in requests from these load balancers. */
  TRUSTED_PROXY_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  API_HEADERS_TIMEOUT: durationMs().prefault('10s'),
  API_REQUEST_TIMEOUT: durationMs().prefault('30s'),
  API_ANSWER_TIMEOUT: durationMs().prefault('55s'),
  /** 32 bytes, base64. Encrypts signing secrets and authenticates cursors. */
  ENCRYPTION_KEY: encryptionKey(),
  ENCRYPTION_KEYS_RETIRED: retiredKeys(),
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES.api)),

  /** Private IP ranges that destinations may use. The egress proxies must allow them too. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** The addresses that webhooks are sent from, as listed by `GET /v1/egress`. */
  EGRESS_PUBLIC_ADDRESSES: listOf(parseCidr, 'is not an IP address or a range such as 203.0.113.0/24').default([]),
  /** If there are no egress proxies, short links are rejected. */
  EGRESS_PROXY_URLS: httpUrlList().default([]),
  ...platformSettings,
  ...confirmationSettings,
  /** Multiplies the plans' intervals, as in change-ingest. Used by tests. */
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),
} as const;

export type ApiConfig = Settings<typeof shape>;

/** No other code reads the environment. @throws SettingsError that lists every invalid setting */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ApiConfig {
  return readSettings(shape, env);
}
