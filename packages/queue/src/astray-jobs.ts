import type { RedisConnection } from './connection.js';
import { SCORES_PER_MS } from './delayed-score.js';
import { type RedisTime, toMs } from './redis-clock.js';

/** Deliveries whose job is not where it should be. */
export interface Astray {
  /** They have no job (any more). */
  readonly missing: ReadonlySet<string>;
  /** They have one that sleeps past their time: whoever put it off had another clock. */
  readonly oversleeping: ReadonlySet<string>;
}

/** A job that is due may still sleep for so long: a worker has given it a turn among those of its destination. */
const LONGEST_TURN_MS = 30_000;
/** Clocks of healthy machines differ by less. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Looks for jobs in one round trip.
 *
 * @param toKey the queue's own: what it calls `delayed`, and a job by its id.
 */
export async function findAstray(
  redis: RedisConnection,
  toKey: (type: string) => string,
  deliveries: readonly { readonly deliveryId: string; readonly delayMs: number }[],
): Promise<Astray> {
  const missing = new Set<string>();
  const oversleeping = new Set<string>();
  if (deliveries.length === 0) return { missing, oversleeping };
  const pipeline = redis.pipeline().time();
  for (const { deliveryId } of deliveries) {
    pipeline.exists(toKey(deliveryId)).zscore(toKey('delayed'), deliveryId);
  }
  const [time, ...answers] = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
  const nowMs = toMs(time as RedisTime);
  for (const [index, { deliveryId, delayMs }] of deliveries.entries()) {
    const [exists, score] = answers.slice(index * 2, index * 2 + 2);
    const latestMs = nowMs + CLOCK_TOLERANCE_MS + (delayMs > 0 ? delayMs : LONGEST_TURN_MS);
    if (exists === 0) missing.add(deliveryId);
    else if (typeof score === 'string' && Number(score) / SCORES_PER_MS > latestMs) oversleeping.add(deliveryId);
  }
  return { missing, oversleeping };
}
