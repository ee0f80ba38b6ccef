import { integer, port, readSettings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';

const shape = {
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  SIMULATOR_HOST: z.string().prefault('127.0.0.1'),
  SIMULATOR_PORT: port().prefault('0'),
  SIMULATOR_CONTROL_PORT: port().prefault('0'),
  SIMULATOR_SEED: z.string().prefault('artist-watch'),
  SIMULATOR_ARTISTS: integer({ min: 1, max: 20_000 }).prefault('25'),
} as const;

/** The simulator's settings. Throws a SettingsError that lists every mistake. */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  return readSettings(shape, env);
}
