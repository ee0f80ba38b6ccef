import { createHash } from 'node:crypto';

/** What a receiver does with one request. */
export interface Behaviour {
  readonly kind: 'answer' | 'cut';
  readonly status: number;
  readonly delayMs: number;
}

/** How a receiver behaves: a function of delivery and attempt alone, so that a repeated request gets the same. */
export type Temper = (deliveryId: string, attempt: number) => Behaviour;

/** Answers 204 within some tens of milliseconds. */
export const steady: Temper = (deliveryId) => ok(5 + (dice(deliveryId) % 30));

/** Answers 204, but takes up to nine tenths of a second: there is always something on the wire. */
export const slow: Temper = (deliveryId) => ok(200 + (dice(deliveryId) % 700));

/** Answers 204 after two or three seconds: whoever stops meanwhile must wait for it. */
export const late: Temper = (deliveryId) => ok(2_000 + (dice(deliveryId) % 1_000));

/** Fails up to three times in a row before it takes a delivery: by 500, by 503 or by cutting the connection. */
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

/** Refuses every first attempt and takes every second one. */
export const reluctant: Temper = (_deliveryId, attempt) =>
  attempt === 1 ? { kind: 'answer', status: 500, delayMs: 5 } : ok(5);

function ok(delayMs: number): Behaviour {
  return { kind: 'answer', status: 204, delayMs };
}

function dice(deliveryId: string): number {
  return createHash('sha256').update(deliveryId).digest().readUInt32BE(0);
}
