import { bucketsOf, QUEUE_BUCKETS } from '@artist-watch/domain/delivery/queue-shard';
import { integer, redisUrlList, type Settings, SettingsError } from '@artist-watch/runtime/settings/settings';
import { isClusterUrl } from './connection.js';

/** Settings that every process that touches the delivery queue must have alike. */
export const queueSettings = {
  /** Queues that destinations are spread over. */
  WEBHOOK_QUEUE_SHARDS: integer({ min: 1, max: QUEUE_BUCKETS }).prefault('1'),
  /** Where they are: one after the other, and round again; REDIS_URL unless given. */
  WEBHOOK_QUEUE_REDIS_URLS: redisUrlList().optional(),
} as const;

/** One of the queues, and where it is. */
export interface QueueShard {
  readonly number: number;
  readonly queueName: string;
  readonly redisUrl: string;
  /** Of domain/queue-shard: those of the destinations that it carries. */
  readonly buckets: readonly number[];
}

/** All of them, by number; at least one. */
export interface QueueLayout {
  readonly shards: readonly QueueShard[];
  readonly prefix: string;
  /** The setting that names their Redises, for what is said when none answers. */
  readonly setting: 'REDIS_URL' | 'WEBHOOK_QUEUE_REDIS_URLS';
}

/** @throws SettingsError when an address would be left without a queue. */
export function queueLayout(
  settings: Settings<typeof queueSettings> & { readonly REDIS_URL: string; readonly REDIS_KEY_PREFIX: string },
): QueueLayout {
  const count = settings.WEBHOOK_QUEUE_SHARDS;
  const given = settings.WEBHOOK_QUEUE_REDIS_URLS;
  const redisUrls = given ?? [settings.REDIS_URL];
  if (redisUrls.length > count) {
    throw new SettingsError([
      `WEBHOOK_QUEUE_SHARDS is ${count}, which is fewer than the ${redisUrls.length} addresses of WEBHOOK_QUEUE_REDIS_URLS`,
    ]);
  }
  const shards = Array.from({ length: count }, (_, number): QueueShard => {
    const redisUrl = redisUrls[number % redisUrls.length] as string;
    const queueName = deliveryQueueName(number, isClusterUrl(redisUrl));
    return { number, queueName, redisUrl, buckets: bucketsOf(number, count) };
  });
  const setting = given ? 'WEBHOOK_QUEUE_REDIS_URLS' : 'REDIS_URL';
  return { shards, prefix: settings.REDIS_KEY_PREFIX, setting };
}

/** One job for each pending delivery; the job's id is the delivery's. */
export const DELIVERY_QUEUE = 'webhook-deliveries';

/**
 * The name of one of several queues. The first keeps the name that it has when it is the only one, so that an upgrade
 * finds its jobs; in a cluster every key of a queue carries the hash tag `{…}`, which keeps them in one slot.
 */
function deliveryQueueName(shard: number, inCluster: boolean): string {
  return shard === 0 && !inCluster ? DELIVERY_QUEUE : `{${DELIVERY_QUEUE}-${shard}}`;
}

/** The only name of a job in DELIVERY_QUEUE: the kind of event that is sent (docs/reference/webhooks.md). */
export const DELIVERY_JOB = 'change.confirmed';

/** In front of every key in Redis, so that several installations, or test suites, can share a server. */
export const DEFAULT_KEY_PREFIX = 'artist-watch';
