/** Where a decision needs the time it takes an instant; only the edges hold a Clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
