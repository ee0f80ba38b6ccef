import { isUp, type RedisConnection } from './connection.js';
import type { DeliveryQueue } from './delivery-queue.js';

/** Longer than a command may take: BullMQ may wait for the connection before it sends one. */
const LONGEST_MS = 3_000;
/** How long a Redis that does not answer is not asked again: otherwise every caller would wait for it. */
const REST_MS = 1_000;

/** The same queue, whose operations fail at once, or soon, while its Redis is away. */
export function guarded(queue: DeliveryQueue, redis: RedisConnection): DeliveryQueue {
  let trouble: unknown;
  let rest: NodeJS.Timeout | undefined;

  async function guard<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (!isUp(redis)) throw new Error('There is no connection to this Redis.');
    if (rest !== undefined) throw trouble;
    try {
      return await soon(operation());
    } catch (error) {
      trouble = error;
      clearTimeout(rest);
      rest = setTimeout(() => {
        rest = undefined;
      }, REST_MS).unref();
      throw error;
    }
  }

  return {
    add: (deliveries) => guard(() => queue.add(deliveries)),
    check: (deliveries) => guard(() => queue.check(deliveries)),
    discard: (deliveries) => guard(() => queue.discard(deliveries)),
    wake: (deliveries) => guard(() => queue.wake(deliveries)),
    depth: () => guard(() => queue.depth()),
    backlog: (nowMs) => guard(() => queue.backlog(nowMs)),
    ping: () => guard(() => queue.ping()),
    close: () => queue.close(),
  };
}

async function soon<Result>(result: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer in time.')), LONGEST_MS);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
