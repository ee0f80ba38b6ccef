import { type QueueLayout, queueLayout } from '@artist-watch/delivery/queue/queue-layout';

/** The queue on these Redises, one shard on each unless more are asked for. */
export function queueOn(redisUrls: readonly string[], prefix: string, shards = redisUrls.length): QueueLayout {
  return queueLayout({
    REDIS_URL: redisUrls[0] ?? '',
    REDIS_KEY_PREFIX: prefix,
    WEBHOOK_QUEUE_SHARDS: shards,
    WEBHOOK_QUEUE_REDIS_URLS: [...redisUrls],
  });
}
