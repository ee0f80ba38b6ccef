import { readBacklog } from '@artist-watch/persistence/delivery/backlog';
import { openCommandConnection, whenReady } from '@artist-watch/queue/connection';
import { openDeliveryQueue } from '@artist-watch/queue/delivery-queue';
import { reach } from '@artist-watch/runtime/reach';
import type { Command } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { one } from '../print.js';

const REDIS_TIMEOUT_MS = 5_000;

export function queueCommands(program: Command, cli: Cli): void {
  const queue = program.command('queue').description('the schedule of deliveries');

  queue
    .command('status')
    .description('how much is queued in Redis, and how much waits in the record')
    .action(
      act<object>(cli, async () => {
        const depth = await readDepth(cli.config.redis());
        const now = cli.clock.now();
        const { pending, waiting, oldestDueAt } = await readBacklog(await cli.database(), now);
        return one({
          queue: depth,
          record: { pending, waiting, oldest_due_at: oldestDueAt?.toISOString() ?? null },
        });
      }),
    );
}

async function readDepth({ url, keyPrefix }: ReturnType<Cli['config']['redis']>) {
  const redis = openCommandConnection(url, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  try {
    await reach({ what: 'Redis', setting: 'REDIS_URL', url }, () => whenReady(redis, REDIS_TIMEOUT_MS));
    const queue = openDeliveryQueue(redis, keyPrefix);
    try {
      return await queue.depth();
    } finally {
      await queue.close();
    }
  } finally {
    redis.disconnect();
  }
}
