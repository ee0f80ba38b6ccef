import type { Bench } from '../bench.js';
import { measureReference } from '../delivery/bare-loop.js';
import { onDeliveryServers } from '../delivery/delivery-servers.js';
import { leaveMeasuredCore, raisePriority } from '../processes/pinning.js';
import { measureBacklogCost } from './backlog-cost.js';
import { measureRedisMemory } from './redis-memory.js';
import { measureWideChange } from './wide-change.js';

export const backlogBench: Bench = {
  title: 'A backlog of deliveries',
  method: `
- **Cost by backlog.** The statements of release loop, worker and sweeper, per batch, in two databases of one PostgreSQL with 10,000
  and 1,000,000 pending deliveries; the same number is released in both. They alternate, and a ratio compares consecutive rounds.
  \`sweep\` is a page of overdue deliveries, \`skip\` the search for pending deliveries of switched-off destinations.
- **A wide change.** One change goes to 100,000 destinations, while the API serves a page of 200 changes at a steady rate. The API
  shares its core only with PostgreSQL, which may use all; Redis, change-ingest and the load use the others. change-ingest, worker,
  proxy, receiver and PostgreSQL's processes for the first two get only idle CPU time, if \`chrt\` is available, so the reads show
  waits for anything except a core. The first request of each connection does not count.
- **Redis.** A million deliveries are pending and due, first without a worker and then with one. The same processes have low
  priority.
- **Reference.** The bare loop of [delivery](delivery.md), before the last two.`,
  async run(options) {
    leaveMeasuredCore();
    raisePriority();
    const figures = await measureBacklogCost(options);
    const servers = { profileDirectory: options.profileDirectory, postgresOnAllCores: true };
    return onDeliveryServers(servers, async (started) => [
      ...figures,
      ...(await measureReference(started, options)),
      ...(await measureWideChange(started, options)),
      ...(await measureRedisMemory(started, options)),
    ]);
  },
};
