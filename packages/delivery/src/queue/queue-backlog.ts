import { answersOf, type RedisConnection, SCORES_PER_MS } from './connection.js';

/** The queue at one instant, for gauges; counts are of jobs, instants in milliseconds since 1970. */
export interface QueueBacklog {
  /** Ready to be taken. */
  readonly waiting: number;
  /** Put off until an instant that has passed: taken as soon as a worker looks. */
  readonly overdue: number;
  /** Put off until an instant that is still to come. */
  readonly delayed: number;
  /** In the hands of workers. */
  readonly active: number;
  /** The job that has waited longest, and when a worker had it last, or it was added; null when none waits. */
  readonly next: { readonly deliveryId: string; readonly seenAtMs: number } | null;
  /** The earliest instant that a job was put off to; null when none is. */
  readonly earliestDelayedAtMs: number | null;
}

/**
 * Reads it in two round trips, of which none depends on how long the queue is.
 *
 * @param toKey the queue's own: what it calls `wait`, `delayed`, `active`, and a job by its id.
 */
export async function readQueueBacklog(
  redis: RedisConnection,
  toKey: (type: string) => string,
  nowMs: number,
): Promise<QueueBacklog> {
  const [waiting, yielding, overdue, inDelayed, active, nextId, [nextYieldingId], earliest] = (await answersOf(
    redis
      .pipeline()
      .llen(toKey('wait'))
      .zcard(toKey('prioritized'))
      .zcount(toKey('delayed'), '-inf', (nowMs + 1) * SCORES_PER_MS - 1)
      .zcard(toKey('delayed'))
      .llen(toKey('active'))
      .lindex(toKey('wait'), -1)
      .zrange(toKey('prioritized'), 0, 0)
      .zrange(toKey('delayed'), 0, 0, 'WITHSCORES'),
  )) as [number, number, number, number, number, string | null, [string] | [], [string, string] | []];
  const heads = [nextId, nextYieldingId].filter((id) => typeof id === 'string');
  const seen = await Promise.all(
    heads.map(async (deliveryId) => ({ deliveryId, seenAtMs: await lastSeenAtMs(redis, toKey(deliveryId)) })),
  );
  const [next] = seen.filter(isThere).sort((one, other) => one.seenAtMs - other.seenAtMs);
  return {
    waiting: waiting + yielding,
    overdue,
    delayed: Math.max(0, inDelayed - overdue),
    active,
    next: next ?? null,
    earliestDelayedAtMs: earliest[1] === undefined ? null : Math.floor(Number(earliest[1]) / SCORES_PER_MS),
  };
}

type Seen = NonNullable<QueueBacklog['next']>;

function isThere(job: { readonly deliveryId: string; readonly seenAtMs: number | null }): job is Seen {
  return job.seenAtMs !== null;
}

/** Null when the job was taken and removed meanwhile. */
async function lastSeenAtMs(redis: RedisConnection, jobKey: string): Promise<number | null> {
  const [addedAt, takenAt] = await redis.hmget(jobKey, 'timestamp', 'processedOn');
  const text = takenAt ?? addedAt;
  return text ? Number(text) : null;
}
