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
  /** For limits that the API and the dashboard share: tests and resends of a destination. */
  REDIS_URL: redisUrl(),
  /** Prefix of every Redis key. */
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  DASHBOARD_PORT: port().prefault('8082'),
  /** The members' URL. Requests for other hosts are rejected. Default: http://127.0.0.1:PORT. */
  DASHBOARD_URL: httpUrl().optional(),
  /** Load balancers whose X-Forwarded-For header is trusted. It is ignored from other clients. */
  TRUSTED_PROXY_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** Time limit for receiving a whole request. */
  DASHBOARD_REQUEST_TIMEOUT: durationMs().prefault('30s'),
  /** 32 bytes, base64. Encrypts signing secrets, and derives the links and codes of sign-in emails. */
  ENCRYPTION_KEY: encryptionKey(),
  /** Private ranges that destinations may use. The egress proxies decide as well. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** The mail server. */
  SMTP_URL: smtpUrl(),
  /** Sender of emails: `Artist Watch <mail@example.com>`, or only an address. */
  MAIL_FROM: mailFrom(),
  /** Same as in the webhook-worker. Pages show the progress toward it. */
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).prefault('20'),
  /** Wait for further critical changes of an artist, so that one email reports them all. */
  MAIL_GROUP_WAIT: durationMs().prefault('60s'),
  /** Maximum number of PostgreSQL connections, including those reserved for writes. */
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES.dashboard)),
  /** Proxies for resolving short links. Without one, short links are rejected. */
  EGRESS_PROXY_URLS: httpUrlList().default([]),
  /** The platform for pasted links and ids, and for the tools. */
  ...platformSettings,
  ...confirmationSettings,
  /** Scales the plans' intervals, like in change-ingest. For tests. */
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),
} as const;

export type DashboardConfig = Settings<typeof shape>;

/** Reads the environment; nothing else does. @throws SettingsError that lists every mistake */
export function readConfig(env: NodeJS.ProcessEnv = process.env): DashboardConfig {
  return readSettings(shape, env);
}
