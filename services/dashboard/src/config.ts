import { parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/platform-settings';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  decimal,
  durationMs,
  encryptionKey,
  httpSettings,
  httpUrl,
  httpUrlList,
  integer,
  listOf,
  mailFrom,
  port,
  readSettings,
  redisUrl,
  type Settings,
  serviceSettings,
  servingSettings,
  smtpUrl,
} from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';

const shape = {
  ...serviceSettings,
  ...servingSettings,
  ...httpSettings,
  DATABASE_URL: databaseUrl(),
  /**
   * Redis stores the limits on test deliveries, resends and feed reads, and the platform's request budget. The API
   * shares them.
   */
  REDIS_URL: redisUrl(),
  /** Prefix of every Redis key. */
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  DASHBOARD_PORT: port().prefault('8082'),
  /** The URL that members open. Requests for other hosts are rejected. Default: http://127.0.0.1:PORT. */
  DASHBOARD_URL: httpUrl().optional(),
  /** Load balancers in front of the dashboard. X-Forwarded-For is trusted only in their requests. */
  TRUSTED_PROXY_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** Time limit for receiving a whole request. */
  DASHBOARD_REQUEST_TIMEOUT: durationMs().prefault('30s'),
  /** 32 bytes, base64. Encrypts signing secrets. The links and codes in sign-in emails are derived from it. */
  ENCRYPTION_KEY: encryptionKey(),
  /** Private IP ranges that destinations may use. The egress proxies must allow them too. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** The mail server. */
  SMTP_URL: smtpUrl(),
  /** Sender of emails: `Artist Watch <mail@example.com>`, or only an address. */
  MAIL_FROM: mailFrom(),
  /**
   * The number of failures in a row that switch a channel off. Pages show it, so it must be the same as in the
   * webhook-worker.
   */
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).prefault('20'),
  /**
   * After a critical change, the time to wait for further critical changes of the same artist. One email reports them
   * all.
   */
  MAIL_GROUP_WAIT: durationMs().prefault('60s'),
  /** Maximum number of connections to PostgreSQL, including the connections reserved for writes. */
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES.dashboard)),
  /** The egress proxies for following short links. If none is set, short links are rejected. */
  EGRESS_PROXY_URLS: httpUrlList().default([]),
  /** Settings of the platform that this installation watches. */
  ...platformSettings,
  ...confirmationSettings,
  /** Multiplies the plans' intervals, as in change-ingest. Used by tests. */
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),
} as const;

export type DashboardConfig = Settings<typeof shape>;

/**
 * Reads the settings from the environment. No other code reads it. @throws SettingsError that lists every invalid
 * setting
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): DashboardConfig {
  return readSettings(shape, env);
}
