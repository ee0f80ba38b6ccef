import type { Bench } from '../bench.js';
import { yardstick } from '../delivery/bare-loop.js';
import { onDeliveryServers } from '../delivery/delivery-servers.js';
import { askUndisturbed, leaveMeasuredCore } from '../processes/pinning.js';
import { measureBacklogCost } from './backlog-cost.js';
import { measureRedisMemory } from './redis-memory.js';
import { measureWideChange } from './wide-change.js';

export const backlogBench: Bench = {
  title: 'A backlog of deliveries',
  method: `
- **Cost by backlog.** The statements of release loop, worker and sweeper, a batch at a time, in two databases of one PostgreSQL
  that differ in how many deliveries are pending: 10,000 and 1,000,000. As many are released in both. The two take
  turns; a ratio is taken of neighbouring rounds. \`sweep\` is a page of overdue deliveries, \`skip\` the look for
  what is pending for destinations that are off.
- **Redis.** A million deliveries are pending and due; change-ingest releases them, first without a worker and then with one.
- **A wide change.** One change goes to 100,000 destinations, while a page of 200 changes is read from the API at a steady
  rate. The API shares a core with nobody but PostgreSQL, which may use all; Redis, change-ingest and the load have the
  others. What has a machine or a core of its own in an installation (change-ingest, the worker, the proxy, the receiver,
  and PostgreSQL's processes for the first two) gets what the API, Redis and PostgreSQL's processes for the reads leave, as
  far as the machine has \`chrt\`: so the reads show whether they wait for anything but a core, and not what they would
  take with all of it on two cores. Connections are new every second, and the first request of each does not count. What
  yields does so in the measurement of Redis too, which comes after it. The yardstick, in front of it, is the bare loop of
  [delivery](delivery.md).`,
  async run(options) {
    leaveMeasuredCore();
    askUndisturbed();
    const figures = await measureBacklogCost(options);
    const servers = { profileDirectory: options.profileDirectory, postgresOnAllCores: true };
    return onDeliveryServers(servers, async (started) => [
      ...figures,
      ...(await yardstick(started, options)),
      ...(await measureWideChange(started, options)),
      ...(await measureRedisMemory(started, options)),
    ]);
  },
};
