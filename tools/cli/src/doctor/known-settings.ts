import { parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/create-platform-client';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationSettings, linkOrEmail } from '@artist-watch/runtime/settings/setting-types';
import {
  apiUrl,
  credentialsList,
  databasePoolSize,
  databaseUrl,
  decimal,
  durationListMs,
  durationMs,
  encryptionKey,
  flag,
  httpSettings,
  httpUrl,
  httpUrlList,
  ingestTokens,
  integer,
  listOf,
  mailFrom,
  port,
  readSettings,
  redisUrl,
  retiredKeys,
  type Settings,
  SettingsError,
  serviceSettings,
  servingSettings,
  smtpUrl,
  timeoutMs,
} from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { type Finding, fault, ok } from './finding.js';

/**
 * If services differ, the strictest rule applies (tests/contract/doctor-settings.test.ts). The services' own
 * definitions aren't imported, because that would add all services to the CLI's image.
 */
export const knownSettings = {
  ...serviceSettings,
  ...servingSettings,
  ...httpSettings,
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: databasePoolSize().optional(),
  REDIS_URL: redisUrl(),
  REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
  ENCRYPTION_KEY: encryptionKey(),
  ENCRYPTION_KEYS_RETIRED: retiredKeys(),
  INGEST_TOKEN: ingestTokens(),
  API_PORT: port().optional(),
  API_PUBLIC_URL: apiUrl().optional(),
  API_HEADERS_TIMEOUT: durationMs().optional(),
  API_REQUEST_TIMEOUT: durationMs().optional(),
  API_ANSWER_TIMEOUT: durationMs().optional(),
  TRUSTED_PROXY_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  INGEST_PORT: port().optional(),
  DASHBOARD_PORT: port().optional(),
  DASHBOARD_URL: httpUrl().optional(),
  DASHBOARD_REQUEST_TIMEOUT: durationMs().optional(),
  SMTP_URL: smtpUrl().optional(),
  MAIL_FROM: mailFrom().optional(),
  MAIL_GROUP_WAIT: durationMs().optional(),
  UPGRADE_URL: linkOrEmail().optional(),

  EGRESS_PROXY_URLS: httpUrlList(),
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  EGRESS_PUBLIC_ADDRESSES: listOf(parseCidr, 'is not an IP address or a range such as 203.0.113.0/24').default([]),
  EGRESS_CLIENT_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  EGRESS_CLIENT_CREDENTIALS: credentialsList().default([]),
  EGRESS_PORT: port().optional(),
  EGRESS_CONNECT_TIMEOUT: timeoutMs().optional(),
  EGRESS_IDLE_TIMEOUT: timeoutMs().optional(),
  EGRESS_MAX_TUNNELS: integer({ min: 1, max: 1_000_000 }).optional(),

  ...platformSettings,

  POLL_CONCURRENCY: integer({ min: 1, max: 1_000 }).optional(),
  POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).optional(),
  ...confirmationSettings,
  SWEEP_INTERVAL: durationMs().optional(),
  QUEUE_PAGE: flag().optional(),
  KEEP_PICTURES: flag().optional(),
  PLATFORM_PICTURES_URL: httpUrl().optional(),

  WEBHOOK_RETRY_DELAYS: durationListMs().optional(),
  WEBHOOK_TIMEOUT: timeoutMs().optional(),
  WEBHOOK_SWITCH_OFF_AFTER: integer({ min: 1, max: 1_000_000 }).optional(),
  WEBHOOK_CONCURRENCY: integer({ min: 1, max: 10_000 }).optional(),
  WEBHOOK_CA_FILE: z.string().optional(),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
} as const;

export type ReadableSettings = Partial<Settings<typeof knownSettings>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** One invalid setting doesn't affect the others. */
export function examineSettings(env: Environment): {
  readonly settings: ReadableSettings;
  readonly findings: readonly Finding[];
} {
  const settings: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const [name, type] of Object.entries(knownSettings)) {
    try {
      Object.assign(settings, readSettings({ [name]: type }, env));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const mistake of error.mistakes)
        findings.push(fault(`settings.${name}`, `${mistake}.`, suggestFix(name, mistake)));
    }
  }
  if (settings.PLATFORM === 'spotify') findings.push(...spotifyCredentials(settings));
  const given = Object.keys(knownSettings).filter((name) => env[name]?.trim());
  if (findings.length === 0)
    findings.push(ok('settings', `${given.length} settings are set. None is wrong or missing.`));
  return { settings, findings };
}

function suggestFix(name: string, mistake: string): string {
  if (name === 'ENCRYPTION_KEY' && mistake.endsWith('is missing')) {
    return 'Set it to the key that the services use. For a new installation, create one: openssl rand -base64 32.';
  }
  return mistake.endsWith('is missing')
    ? `Set ${name} here and for the services.`
    : `Correct ${name}. A service that reads it does not start with this value.`;
}

function spotifyCredentials(settings: ReadableSettings): Finding[] {
  return (['SPOTIFY_CLIENT_ID', 'SPOTIFY_CLIENT_SECRET'] as const)
    .filter((name) => settings[name] === undefined)
    .map((name) =>
      fault(
        `settings.${name}`,
        `${name} is required when PLATFORM is spotify.`,
        'Copy both from the app in the Spotify for Developers dashboard.',
      ),
    );
}
