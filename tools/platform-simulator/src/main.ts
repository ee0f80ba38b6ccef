import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { integer, port, readSettings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { startPlatformSimulator } from './server.js';

const shape = {
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  SIMULATOR_HOST: z.string().prefault('127.0.0.1'),
  SIMULATOR_PORT: port().prefault('0'),
  SIMULATOR_CONTROL_PORT: port().prefault('0'),
  SIMULATOR_SEED: z.string().prefault('artist-watch'),
  SIMULATOR_ARTISTS: integer({ min: 1, max: 20_000 }).prefault('25'),
} as const;

runService({
  name: 'platform-simulator',
  start: async () => {
    const config = readSettings(shape, process.env);
    const simulator = await startPlatformSimulator({
      platform: config.PLATFORM,
      host: config.SIMULATOR_HOST,
      port: config.SIMULATOR_PORT,
      controlPort: config.SIMULATOR_CONTROL_PORT,
      seed: config.SIMULATOR_SEED,
      artists: config.SIMULATOR_ARTISTS,
    });
    return {
      addresses: { platform: simulator.url, control: simulator.controlUrl },
      stop: () => simulator.stop(),
    };
  },
});
