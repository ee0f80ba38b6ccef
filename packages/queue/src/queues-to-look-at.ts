import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { queueNames } from './names.js';

/** All queues, for a page that shows them; opening them writes nothing. The caller closes each. */
export function openQueuesToLookAt(redis: Redis, prefix: string): readonly Queue[] {
  return queueNames().map((name) => {
    const queue = new Queue(name, { connection: redis, prefix, skipMetasUpdate: true });
    queue.on('error', () => undefined);
    return queue;
  });
}
