import { type Cidr, parseCidr } from '@artist-watch/address-policy/ip-address';
import { platformSettings } from '@artist-watch/catalogue/create-platform-client';
import { DEFAULT_KEY_PREFIX, type QueueLocation } from '@artist-watch/delivery/queue/delivery-queue';
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
 * Reads settings only when a command needs them, so that `verify` and `receiver` work without any.
 *
 * @throws SettingsError if a setting is missing or invalid.
 */
export function readConfig(env: Environment = process.env) {
  const keyPrefix = { REDIS_KEY_PREFIX: z.string().prefault(DEFAULT_KEY_PREFIX) };
  return {
    databaseUrl: () => readSettings({ DATABASE_URL: databaseUrl() }, env).DATABASE_URL,
    queue: (): QueueLocation => {
      const settings = readSettings({ REDIS_URL: redisUrl(), ...keyPrefix }, env);
      return { redisUrl: settings.REDIS_URL, prefix: settings.REDIS_KEY_PREFIX };
    },
    encryptionKeys: () => {
      const shape = { ENCRYPTION_KEY: encryptionKey(), ENCRYPTION_KEYS_RETIRED: retiredKeys() };
      const { ENCRYPTION_KEY: current, ENCRYPTION_KEYS_RETIRED: retired } = readSettings(shape, env);
      return { current, retired };
    },
    /** Default: none. */
    allowCidrs: () =>
      readSettings({ EGRESS_ALLOW_CIDRS: commaSeparated().optional() }, env).EGRESS_ALLOW_CIDRS?.map(toCidr) ?? [],
    confirmation: () => confirmationOf(readSettings(confirmationSettings, env)),
    /** Command-line options override the environment. */
    api: ({ url, key }: { readonly url: string | undefined; readonly key: string | undefined }) => {
      const given = { ...env, ...(url !== undefined && { API_URL: url }), ...(key !== undefined && { API_KEY: key }) };
      const settings = readSettings({ API_URL: httpUrl(), API_KEY: z.string() }, given);
      return { url: settings.API_URL, key: settings.API_KEY };
    },
    intervalFactor: () =>
      readSettings({ POLL_INTERVAL_FACTOR: decimal({ min: 0.000001, max: 1_000 }).prefault('1') }, env)
        .POLL_INTERVAL_FACTOR,
    platform: () => readSettings({ PLATFORM: platformSettings.PLATFORM }, env).PLATFORM,
    platformAccess: () => readSettings({ ...platformSettings, REDIS_URL: redisUrl().optional(), ...keyPrefix }, env),
    environment: () => env,
  };
}

function toCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new SettingsError([`EGRESS_ALLOW_CIDRS "${text}" is not a range such as 10.0.0.0/8`]);
  return cidr;
}
