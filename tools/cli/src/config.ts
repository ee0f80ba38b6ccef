import { type Cidr, parseCidr } from '@artist-watch/address-policy/cidr';
import {
  commaSeparated,
  databaseUrl,
  encryptionKey,
  readSettings,
  redisUrl,
  SettingsError,
} from '@artist-watch/runtime/settings';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings, read when a command needs them: `verify` and `receiver` run without any. Each throws a SettingsError that
 * says what is missing or wrong.
 */
export interface Config {
  databaseUrl(): string;
  redisUrl(): string;
  encryptionKey(): Uint8Array;
  /** Special ranges that webhooks may be sent to all the same. */
  allowCidrs(): readonly Cidr[];
  /** The one platform that this installation watches. */
  platform(): 'deezer' | 'spotify';
}

/** The only reader of the environment. */
export function readConfig(env: Environment = process.env): Config {
  return {
    databaseUrl: () => readSettings({ DATABASE_URL: databaseUrl() }, env).DATABASE_URL,
    redisUrl: () => readSettings({ REDIS_URL: redisUrl() }, env).REDIS_URL,
    encryptionKey: () => readSettings({ ENCRYPTION_KEY: encryptionKey() }, env).ENCRYPTION_KEY,
    allowCidrs: () =>
      readSettings({ EGRESS_ALLOW_CIDRS: commaSeparated().optional() }, env).EGRESS_ALLOW_CIDRS?.map(toCidr) ?? [],
    platform: () => readSettings({ PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer') }, env).PLATFORM,
  };
}

function toCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new SettingsError([`EGRESS_ALLOW_CIDRS "${text}" is not a range such as 10.0.0.0/8`]);
  return cidr;
}
