import { type Cidr, parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/platform-settings';
import { DEFAULT_KEY_PREFIX, type QueuePlace } from '@artist-watch/delivery/queue/delivery-queue';
import { confirmationOf, confirmationSettings } from '@artist-watch/runtime/settings/setting-types';
import {
  commaSeparated,
  databaseUrl,
  decimal,
  encryptionKey,
  httpUrl,
  readSettings,
  redisUrl,
  retiredKeys,
  SettingsError,
} from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

export type Config = ReturnType<typeof readConfig>;

/**
 * The only reader of the environment. The settings are read when a command needs them: `verify` and `receiver` run without
 * any. Each throws a SettingsError that says what is missing or wrong.
 */
export function readConfig(env: Environment = process.env) {
  const keyPrefix = { REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX) };
  return {
    databaseUrl: () => readSettings({ DATABASE_URL: databaseUrl() }, env).DATABASE_URL,
    queue: (): QueuePlace => {
      const settings = readSettings({ REDIS_URL: redisUrl(), ...keyPrefix }, env);
      return { redisUrl: settings.REDIS_URL, prefix: settings.REDIS_KEY_PREFIX };
    },
    /** The key that seals, and those that what was sealed earlier may still need. */
    encryptionKeys: () => {
      const shape = { ENCRYPTION_KEY: encryptionKey(), ENCRYPTION_KEYS_RETIRED: retiredKeys() };
      const { ENCRYPTION_KEY: present, ENCRYPTION_KEYS_RETIRED: retired } = readSettings(shape, env);
      return { present, retired };
    },
    /** Special ranges that webhooks may be sent to all the same. */
    allowCidrs: () =>
      readSettings({ EGRESS_ALLOW_CIDRS: commaSeparated().optional() }, env).EGRESS_ALLOW_CIDRS?.map(toCidr) ?? [],
    /** Rule R, as change-ingest has it. */
    confirmation: () => confirmationOf(readSettings(confirmationSettings, env)),
    /** Where the API is and with which key it is asked, unless the command line says so. */
    api: ({ url, key }: { readonly url: string | undefined; readonly key: string | undefined }) => {
      const given = { ...env, ...(url !== undefined && { API_URL: url }), ...(key !== undefined && { API_KEY: key }) };
      const settings = readSettings({ API_URL: httpUrl(), API_KEY: z.string() }, given);
      return { url: settings.API_URL, key: settings.API_KEY };
    },
    /** POLL_INTERVAL_FACTOR, as change-ingest has it. */
    intervalFactor: () =>
      readSettings({ POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1') }, env)
        .POLL_INTERVAL_FACTOR,
    /** The one platform that this installation watches. */
    platform: () => readSettings({ PLATFORM: platformSettings.PLATFORM }, env).PLATFORM,
    /** Where, as whom and how often the platform is asked. */
    asking: () => readSettings({ ...platformSettings, REDIS_URL: redisUrl().optional(), ...keyPrefix }, env),
    /** As it was given, for who judges the settings themselves. */
    environment: () => env,
  };
}

function toCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new SettingsError([`EGRESS_ALLOW_CIDRS "${text}" is not a range such as 10.0.0.0/8`]);
  return cidr;
}
