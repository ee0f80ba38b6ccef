/** What TIME answers: seconds since 1970, and microseconds; numbers or texts, as the connection is set up. */
export type RedisTime = readonly (number | string)[];

/** In milliseconds since 1970. */
export function toMs([seconds, microseconds]: RedisTime): number {
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** BullMQ sorts delayed jobs by the millisecond at which they wake and, below that, by order of arrival. */
export const SCORES_PER_MS = 0x1000;
