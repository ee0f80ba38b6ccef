import { openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { readBacklog } from '@artist-watch/delivery/release-loops';
import { reach } from '@artist-watch/runtime/settings/start-failure';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun } from '../noun.js';
import { one } from '../print.js';

const REDIS_TIMEOUT_MS = 5_000;

export function queueCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'queue', 'the delivery queue');

  verb('status', 'show the jobs in Redis and the pending deliveries in PostgreSQL', {}, async () => {
    const place = cli.config.queue();
    const queue = openDeliveryQueue(place);
    try {
      await reach({ what: 'Redis', setting: 'REDIS_URL', url: place.redisUrl }, () =>
        queue.whenReady(REDIS_TIMEOUT_MS),
      );
      const [depth, { pending, waiting, oldestDueAt }] = await Promise.all([
        queue.depth(),
        readBacklog(await cli.database()),
      ]);
      return one({ queue: depth, record: { pending, waiting, oldest_due_at: oldestDueAt?.toISOString() ?? null } });
    } finally {
      await queue.close();
    }
  });
}
