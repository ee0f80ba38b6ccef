import type { Bench } from '../bench.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import { yardstick } from './bare-loop.js';
import { startDeliveryServers } from './delivery-servers.js';
import { type FloodExtent, measureFlood } from './flood.js';

const FULL: FloodExtent = { others: 20, flood: 2_000, rounds: 9, changes: 20 };
const QUICK: FloodExtent = { others: 5, flood: 200, rounds: 1, changes: 5 };

export const floodBench: Bench = {
  title: 'What a flood for one destination does to the others',
  method: `
The whole of the product takes part, as in [delivery](delivery.md). One destination that answers after 20 ms gets 2,000
changes at once, while twenty others get theirs at a steady pace; the same without the flood, by turns. The time is that
from the report of a change to the arrival of its webhook. The worker has a core, and all else shares the other one. The p95
is that of a round, over its 400 webhooks. The yardstick is the bare loop of [delivery](delivery.md), before all else.`,
  async run(options) {
    leaveMeasuredCore();
    const servers = await startDeliveryServers({ profileDirectory: options.profileDirectory });
    try {
      const measured = await yardstick(servers, options);
      return [...measured, ...(await measureFlood(servers, options.quick ? QUICK : FULL, options))];
    } finally {
      await servers.stop();
    }
  },
};
