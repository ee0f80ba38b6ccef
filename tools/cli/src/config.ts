import { type Cidr, parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/platform-settings';
import {
  DEFAULT_KEY_PREFIX,
  type QueueLayout,
  queueLayout,
  queueSettings,
} from '@artist-watch/delivery/queue/queue-layout';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import { confirmationOf, confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  commaSeparated,
  databaseUrl,
  decimal,
  encryptionKey,
  httpUrl,
  readSettings,
  redisUrl,
  SettingsError,
} from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import type { AskingSettings } from './platform/with-platform-client.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings, read when a command needs them: `verify` and `receiver` run without any. Each throws a SettingsError that
 * says what is missing or wrong.
 */
export interface Config {
  databaseUrl(): string;
  queue(): QueueLayout;
  /** The key that seals, and those that what was sealed earlier may still need. */
  encryptionKeys(): { readonly present: Uint8Array; readonly retired: readonly Uint8Array[] };
  /** Special ranges that webhooks may be sent to all the same. */
  allowCidrs(): readonly Cidr[];
  /** Where the API is and with which key it is asked, unless the command line says so. */
  api(given: { readonly url?: string; readonly key?: string }): { readonly url: string; readonly key: string };
  /** The one platform that this installation watches. */
  platform(): 'deezer' | 'spotify';
  /** POLL_INTERVAL_FACTOR, as change-ingest has it. */
  intervalFactor(): number;
  /** Where, as whom and how often the platform is asked. */
  asking(): AskingSettings;
  /** As it was given, for who judges the settings themselves. */
  environment(): Environment;
  /** Rule R, as change-ingest has it. */
  confirmation(): ConfirmationSettings;
}

/** The only reader of the environment. */
export function readConfig(env: Environment = process.env): Config {
  return {
    databaseUrl: () => readSettings({ DATABASE_URL: databaseUrl() }, env).DATABASE_URL,
    queue: () =>
      queueLayout(
        readSettings(
          { REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX), ...queueSettings },
          env,
        ),
      ),
    encryptionKeys: () => {
      const settings = readSettings(
        { ENCRYPTION_KEY: encryptionKey(), ENCRYPTION_KEYS_RETIRED: commaSeparated().prefault('') },
        env,
      );
      const retired = settings.ENCRYPTION_KEYS_RETIRED.map((text) => encryptionKey().safeParse(text));
      if (!retired.every((key) => key.success)) {
        throw new SettingsError(['ENCRYPTION_KEYS_RETIRED has a part that is not 32 bytes in base64']);
      }
      return { present: settings.ENCRYPTION_KEY, retired: retired.map((key) => key.data) };
    },
    allowCidrs: () =>
      readSettings({ EGRESS_ALLOW_CIDRS: commaSeparated().optional() }, env).EGRESS_ALLOW_CIDRS?.map(toCidr) ?? [],
    confirmation: () => confirmationOf(readSettings(confirmationSettings, env)),
    api: ({ url, key }) => {
      const given = { ...env, ...(url !== undefined && { API_URL: url }), ...(key !== undefined && { API_KEY: key }) };
      const settings = readSettings({ API_URL: httpUrl(), API_KEY: z.string() }, given);
      return { url: settings.API_URL, key: settings.API_KEY };
    },
    intervalFactor: () =>
      readSettings({ POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1') }, env)
        .POLL_INTERVAL_FACTOR,
    platform: () => readSettings({ PLATFORM: platformSettings.PLATFORM }, env).PLATFORM,
    asking: () =>
      readSettings(
        {
          ...platformSettings,
          REDIS_URL: redisUrl().optional(),
          REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX),
        },
        env,
      ),
    environment: () => env,
  };
}

function toCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new SettingsError([`EGRESS_ALLOW_CIDRS "${text}" is not a range such as 10.0.0.0/8`]);
  return cidr;
}
