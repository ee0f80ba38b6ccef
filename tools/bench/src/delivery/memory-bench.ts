import type { Bench } from '../bench.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import { startDeliveryServers } from './delivery-servers.js';
import { type MemoryExtent, measureMemory } from './memory.js';

const FULL: MemoryExtent = { slots: 500, holdMs: 25_000, minutes: 1.5, perSecond: 200 };
const QUICK: MemoryExtent = { slots: 20, holdMs: 1_000, minutes: 0.05, perSecond: 100 };

export const memoryBench: Bench = {
  title: 'What a worker keeps in memory',
  method: `
The whole of the product takes part, as in [delivery](delivery.md). Resident size of the worker's process: with its slots
taken by receivers that answer after 5 s, and its trend under steady load (\`--minutes 60\` for an hour of it). Nothing of
it hangs on what else the machine does.`,
  async run(options) {
    leaveMeasuredCore();
    const extent = options.quick ? QUICK : FULL;
    const servers = await startDeliveryServers({ profileDirectory: options.profileDirectory });
    try {
      return await measureMemory(servers, { ...extent, minutes: options.minutes ?? extent.minutes }, options);
    } finally {
      await servers.stop();
    }
  },
};
