import { Queue } from 'bullmq';
import type { RedisConnection } from './connection.js';

export interface QueueToLookAt {
  readonly queueName: string;
  readonly redis: RedisConnection;
}

/** All queues, for a page that shows them; opening them writes nothing. The caller closes each. */
export function openQueuesToLookAt(shards: readonly QueueToLookAt[], prefix: string): readonly Queue[] {
  return shards.map(({ queueName, redis }) => {
    const queue = new Queue(queueName, { connection: redis, prefix, skipMetasUpdate: true });
    queue.on('error', () => undefined);
    return queue;
  });
}
