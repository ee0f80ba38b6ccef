import type { ChainableCommander } from 'ioredis';
import type { RedisConnection } from './connection.js';
import { type RedisTime, SCORES_PER_MS, toMs } from './redis-clock.js';

/** Deliveries whose job is not where it should be. */
export interface JobCheck {
  /** They have no job (any more). */
  readonly missing: ReadonlySet<string>;
  /** They have one that stands in none of the queue's lists, so that no worker will ever find it. */
  readonly orphaned: ReadonlySet<string>;
  /** They have one that sleeps past their time: whoever put it off had another clock, or whoever is to wake it has. */
  readonly overdue: ReadonlySet<string>;
}

/** A job that is due may still sleep for so long: a worker has given it a turn among those of its destination. */
const LONGEST_TURN_MS = 30_000;
/** Clocks of healthy machines differ by less. */
const CLOCK_TOLERANCE_MS = 1_000;

/** Where jobs stand that workers find by themselves; `delayed` and `prioritized` besides. */
const LISTS = ['wait', 'paused', 'active'] as const;
/** Longer lists are not read: what they may lack is looked for when they have become shorter. */
const LONGEST_LIST = 20_000;

/**
 * Looks for jobs in one round trip, and in another for those that are there and do not sleep: few, unless work piles up.
 *
 * @param toKey the queue's own: what it calls `delayed`, and a job by its id.
 */
export async function checkJobs(
  redis: RedisConnection,
  toKey: (type: string) => string,
  deliveries: readonly { readonly deliveryId: string; readonly delayMs: number }[],
): Promise<JobCheck> {
  const missing = new Set<string>();
  const overdue = new Set<string>();
  const awake: string[] = [];
  if (deliveries.length === 0) return { missing, orphaned: new Set(), overdue };
  const pipeline = redis.pipeline().time();
  for (const { deliveryId } of deliveries) {
    pipeline.exists(toKey(deliveryId)).zscore(toKey('delayed'), deliveryId);
  }
  const [time, ...answers] = await answersOf(pipeline);
  const nowMs = toMs(time as RedisTime);
  for (const [index, { deliveryId, delayMs }] of deliveries.entries()) {
    const [exists, score] = answers.slice(index * 2, index * 2 + 2);
    if (exists === 0) missing.add(deliveryId);
    else if (typeof score !== 'string') awake.push(deliveryId);
    else if (isOverdue(Number(score) / SCORES_PER_MS - nowMs, delayMs)) overdue.add(deliveryId);
  }
  return { missing, orphaned: await findOrphaned(redis, toKey, awake), overdue };
}

/** @param leftMs by the clock of Redis; negative when it should be awake, and workers wake jobs by theirs. */
function isOverdue(leftMs: number, delayMs: number): boolean {
  if (delayMs > 0) return leftMs > delayMs + CLOCK_TOLERANCE_MS;
  return leftMs > LONGEST_TURN_MS + CLOCK_TOLERANCE_MS || leftMs < -CLOCK_TOLERANCE_MS;
}

/** Of jobs, those that a Redis still has though it has lost their place: it evicts keys, or somebody deleted some. */
async function findOrphaned(
  redis: RedisConnection,
  toKey: (type: string) => string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  // At one moment, as jobs move from list to list.
  const moment = redis.multi();
  for (const list of LISTS) moment.lrange(toKey(list), 0, LONGEST_LIST - 1);
  for (const id of ids) {
    moment.exists(toKey(id)).zscore(toKey('delayed'), id).zscore(toKey('prioritized'), id);
  }
  const answers = await answersOf(moment);
  const lists = answers.slice(0, LISTS.length) as string[][];
  if (lists.some((list) => list.length === LONGEST_LIST)) return new Set();
  const listed = new Set(lists.flat());
  return new Set(
    ids.filter((id, index) => {
      const at = LISTS.length + index * 3;
      const [exists, ...scores] = answers.slice(at, at + 3);
      return exists === 1 && scores.every((score) => score === null) && !listed.has(id);
    }),
  );
}

/** @throws what the first command threw that failed. */
async function answersOf(commands: ChainableCommander): Promise<unknown[]> {
  return ((await commands.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
