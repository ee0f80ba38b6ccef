import { parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/platform-settings';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/queue-layout';
import { confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  DATABASE_POOL_SIZES,
  databasePoolSize,
  databaseUrl,
  decimal,
  durationMs,
  encryptionKey,
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
  DATABASE_URL: databaseUrl(),
  /** What is counted for the API and the dashboard together: tests and resends of a destination. */
  REDIS_URL: redisUrl(),
  /** In front of every key in Redis. */
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  DASHBOARD_PORT: port().prefault('8082'),
  /** Where members find it; requests for another host are refused. http://127.0.0.1:PORT unless given. */
  DASHBOARD_URL: httpUrl().optional(),
  /** Load balancers in front of it: whose request it is they say by X-Forwarded-For. Nobody else is believed. */
  TRUSTED_PROXY_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** For a whole request to arrive. */
  DASHBOARD_REQUEST_TIMEOUT: durationMs().prefault('30s'),
  /** 32 bytes, base64: seals signing secrets; links and codes of sign-in mails are derived from it. */
  ENCRYPTION_KEY: encryptionKey(),
  /** Special ranges that destinations may lie in all the same; the egress proxies have the last word. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** The server that takes the mails. */
  SMTP_URL: smtpUrl(),
  /** Whom the mails come from: `Artist Watch <mail@example.com>`, or an address alone. */
  MAIL_FROM: mailFrom(),
  /** As the webhook-worker has it: pages show how far a run of failures has come. */
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).prefault('20'),
  /** How long critical changes of one artist are waited for, that one mail reports them. */
  MAIL_GROUP_WAIT: durationMs().prefault('60s'),
  /** Connections to PostgreSQL at most, those for writes among them, which reads do not share. */
  DATABASE_POOL_SIZE: databasePoolSize().prefault(String(DATABASE_POOL_SIZES.dashboard)),
  /** The way out for short links; without one they are refused. */
  EGRESS_PROXY_URLS: httpUrlList().default([]),
  /** Whose links and ids are pasted, and whom the tools ask. */
  ...platformSettings,
  ...confirmationSettings,
  /** Scales the plans' intervals as in change-ingest; for tests. */
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1'),
} as const;

export type DashboardConfig = Settings<typeof shape>;

/** The only reader of the environment. Throws a SettingsError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): DashboardConfig {
  return readSettings(shape, env);
}
