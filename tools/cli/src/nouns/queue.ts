import { whenReady } from '@artist-watch/delivery/queue/connection';
import type { QueueDepth } from '@artist-watch/delivery/queue/delivery-queue';
import type { QueueLayout } from '@artist-watch/delivery/queue/queue-layout';
import { openShardedDeliveryQueue } from '@artist-watch/delivery/queue/sharded-delivery-queue';
import { readBacklog } from '@artist-watch/delivery/store/backlog';
import { reach } from '@artist-watch/runtime/lifecycle/reach';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { nounOf } from '../noun.js';
import { one } from '../print.js';

const REDIS_TIMEOUT_MS = 5_000;
const NOTHING: QueueDepth = { due: 0, delayed: 0, active: 0 };

interface ShardStatus extends QueueDepth {
  readonly shard: number;
  readonly name: string;
  /** Host and port. */
  readonly redis: string;
  readonly state: 'ok' | 'away';
}

export function queueCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'queue', 'the schedule of deliveries');

  verb('status', 'show the deliveries queued in Redis and waiting in PostgreSQL', {}, async () => {
    const shards = await readDepths(cli.config.queue());
    const now = cli.clock.now();
    const { pending, waiting, oldestDueAt } = await readBacklog(await cli.database(), now);
    return one({
      queue: sumOf(shards),
      ...(shards.length > 1 ? { shards } : {}),
      record: { pending, waiting, oldest_due_at: oldestDueAt?.toISOString() ?? null },
    });
  });
}

/** What each shard holds; one whose Redis does not answer is reported as away, unless none does. */
async function readDepths(layout: QueueLayout): Promise<readonly ShardStatus[]> {
  const queue = openShardedDeliveryQueue(layout);
  try {
    await reach({ what: 'Redis', setting: layout.setting, url: layout.shards[0]?.redisUrl ?? '' }, () =>
      queue.whenReady(REDIS_TIMEOUT_MS),
    );
    return await Promise.all(
      queue.shards.map(async ({ number, queueName, redisUrl, queue: { depth }, redis }): Promise<ShardStatus> => {
        const shard = { shard: number, name: queueName, redis: new URL(redisUrl).host };
        try {
          await whenReady(redis, REDIS_TIMEOUT_MS);
          return { ...shard, state: 'ok', ...(await depth()) };
        } catch {
          return { ...shard, state: 'away', ...NOTHING };
        }
      }),
    );
  } finally {
    await queue.close();
  }
}

function sumOf(shards: readonly ShardStatus[]): QueueDepth {
  return shards.reduce(
    (sum, { due, delayed, active }) => ({
      due: sum.due + due,
      delayed: sum.delayed + delayed,
      active: sum.active + active,
    }),
    NOTHING,
  );
}
