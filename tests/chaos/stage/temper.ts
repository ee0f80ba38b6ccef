import { createHash } from 'node:crypto';

export interface Behaviour {
  readonly kind: 'answer' | 'cut';
  readonly status: number;
  readonly delayMs: number;
}

/** The reaction depends only on the delivery and the attempt, so a repeated request gets the same one. */
export type Temper = (deliveryId: string, attempt: number) => Behaviour;

/** Returns 204 within 35 ms. */
export const steady: Temper = (deliveryId) => ok(5 + (dice(deliveryId) % 30));

/** Returns 204 after 0.2 to 0.9 s, so that requests are always in flight. */
export const slow: Temper = (deliveryId) => ok(200 + (dice(deliveryId) % 700));

/** Returns 204 after 2 to 3 s, so that a stopping worker must wait for the response. */
export const late: Temper = (deliveryId) => ok(2_000 + (dice(deliveryId) % 1_000));

/** Fails up to three attempts of a delivery with a 500, a 503 or a closed connection, then returns 204. */
export const flaky: Temper = (deliveryId, attempt) => {
  const seed = dice(deliveryId);
  if (attempt > seed % 4) return ok(5 + (seed % 30));
  const ways: readonly Behaviour[] = [
    { kind: 'answer', status: 500, delayMs: 20 },
    { kind: 'answer', status: 503, delayMs: 300 },
    { kind: 'cut', status: 0, delayMs: 10 },
  ];
  return ways[(seed + attempt) % ways.length] as Behaviour;
};

/** Fails every first attempt and returns 204 for the second. */
export const reluctant: Temper = (_deliveryId, attempt) =>
  attempt === 1 ? { kind: 'answer', status: 500, delayMs: 5 } : ok(5);

function ok(delayMs: number): Behaviour {
  return { kind: 'answer', status: 204, delayMs };
}

function dice(deliveryId: string): number {
  return createHash('sha256').update(deliveryId).digest().readUInt32BE(0);
}
