import { parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/create-platform-client';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationSettings, linkOrEmail } from '@artist-watch/runtime/settings/setting-types';
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
  /** Redis stores rate limits and the platform's request budget, both of which are shared with the API. */
  REDIS_URL: redisUrl(),
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  DASHBOARD_PORT: port().prefault('8082'),
  /** Requests for other hosts are rejected. Default: http://127.0.0.1:PORT. */
  DASHBOARD_URL: httpUrl().optional(),
  /** X-Forwarded-For is trusted only in requests from these load balancers. */
  TRUSTED_PROXY_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  DASHBOARD_REQUEST_TIMEOUT: durationMs().prefault('30s'),
  /** 32 bytes, base64. Encrypts signing secrets. Sign-in links and codes are derived from it. */
  ENCRYPTION_KEY: encryptionKey(),
  /** Private IP ranges that destinations may use. The egress proxies must allow them too. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  SMTP_URL: smtpUrl(),
  /** The sender for emails: `Artist Watch <mail@example.com>`, or just an address. */
  MAIL_FROM: mailFrom(),
  /** The "Upgrade" link next to plan limits. */
  UPGRADE_URL: linkOrEmail().optional(),
  /** This number is shown on pages, so it must be the same as in the webhook-worker. */
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).prefault('20'),
  /** All critical changes to an artist within this time are reported in a single email. */
  MAIL_GROUP_WAIT: durationMs().prefault('60s'),
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES.dashboard)),
  /** If there are no egress proxies, short links are rejected. */
  EGRESS_PROXY_URLS: httpUrlList().default([]),
  ...platformSettings,
  ...confirmationSettings,
  /** Multiplies the plans' intervals, as in change-ingest. Used by tests. */
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),
} as const;

export type DashboardConfig = Settings<typeof shape>;

/** No other code reads the environment. @throws SettingsError that lists every invalid setting */
export function readConfig(env: NodeJS.ProcessEnv = process.env): DashboardConfig {
  return readSettings(shape, env);
}
