import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { readConfig } from './config.js';
import { startPlatformSimulator } from './server.js';

runService({
  name: 'platform-simulator',
  start: async () => {
    const config = readConfig(process.env);
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
