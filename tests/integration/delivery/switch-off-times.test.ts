import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { type DueDelivery, releaseWaiting } from '@artist-watch/delivery/store/release';
import { settleAttempts } from '@artist-watch/delivery/store/settlement';
import { DEFAULT_RETRY_DELAYS_MS, retryDelayMs } from '@artist-watch/domain/delivery/retry-schedule';
import { useSuite } from '@artist-watch/harness/suite';
import { skipPending } from '@artist-watch/persistence/destination/skip-undeliverable';
import { beforeEach, expect, test } from '@jest/globals';
import { countDeliveries, decideSettlement, destinationRow, LIMITS, seedWaiting } from './delivery-rows.js';
import { type FakeClock, startFakeClock } from './fake-clock.js';

/* The clock of a real PostgreSQL jumps from event to event. */

const ANSWER_MS = 50;
const LOOP_MS = 100;
const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;

const { databaseUrl, onEnd } = await useSuite();
const clock: FakeClock & { close(): Promise<void> } = await startFakeClock(databaseUrl);
onEnd(() => clock.close());

beforeEach(async () => {
  await clock.pool.query('TRUNCATE deliveries CASCADE');
});

interface Event {
  readonly atMs: number;
  readonly kind: 'start' | 'answer';
  readonly due: DueDelivery;
}

/**
 * Ends when the destination is switched off or nothing is pending. Returns the end and the number of requests.
 * @param isUp whether the receiver is up at a time after the start.
 */
async function run(
  seeded: { readonly destinationId: string },
  isUp: (afterMs: number) => boolean,
): Promise<{ readonly offAfterMs: number | null; readonly requests: number; readonly most: number }> {
  const { destinationId } = seeded;
  const startedAtMs = clock.nowMs();
  const events: Event[] = [];
  let [requests, onTheWire, most] = [0, 0, 0];
  const add = (kind: Event['kind'], atMs: number, due: readonly DueDelivery[]) =>
    events.push(...due.map((one) => ({ atMs, kind, due: one })));

  add('start', startedAtMs, await releaseWaiting(clock.pool, 1_000));
  for (;;) {
    const row = await destinationRow(clock.pool, destinationId);
    if (row.state === 'off') return { offAfterMs: clock.nowMs() - startedAtMs, requests, most };
    if ((await countDeliveries(clock.pool, destinationId, `state = 'pending'`)) === 0) {
      return { offAfterMs: null, requests, most };
    }
    // The release loop notices the end of a pause at its next run.
    const pauseEnd =
      row.paceMs !== null && row.inFlight === 0
        ? clock.nowMs() + Math.max(LOOP_MS, row.pausedForMs ?? 0)
        : Number.POSITIVE_INFINITY;
    const next = Math.min(pauseEnd, ...events.map(({ atMs }) => atMs));
    if (!Number.isFinite(next)) throw new Error('Deliveries are pending, but no further event is scheduled.');
    await clock.moveTo(Math.ceil(next));
    const now = events.filter(({ atMs }) => atMs <= clock.nowMs());
    for (const event of now) events.splice(events.indexOf(event), 1);
    const starting = now.filter(({ kind }) => kind === 'start').map(({ due }) => due);
    const answered = now.filter(({ kind }) => kind === 'answer').map(({ due }) => due);

    const claims = await claimDeliveries(
      clock.pool,
      starting.map(({ deliveryId }) => deliveryId),
      LEASE_MS,
    );
    expect(claims.size).toBe(starting.length);
    requests += claims.size;
    onTheWire += claims.size - answered.length;
    most = Math.max(most, onTheWire);
    add('answer', clock.nowMs() + ANSWER_MS, starting);

    const settlements = answered.map(({ deliveryId, attemptNumber }) => {
      const isAnsweredOk = isUp(clock.nowMs() - startedAtMs);
      const delayMs = isAnsweredOk ? null : retryDelayMs(attemptNumber, DEFAULT_RETRY_DELAYS_MS);
      return decideSettlement(destinationId, deliveryId, isAnsweredOk ? 'succeeded' : 'failed', {
        ...{ attemptNumber, endedAgoMs: 0, retryDelayMs: delayMs },
        ...(!isAnsweredOk && delayMs === null && { nextState: 'failed' as const }),
      });
    });
    const { results, released } = await settleAttempts(clock.pool, settlements, LIMITS);
    for (const [index, result] of results.entries()) {
      const due = answered[index];
      if (!due || !result) throw new Error('An attempt was not settled.');
      if (result.retryInMs === null) continue;
      const retry = { ...due, attemptNumber: due.attemptNumber + 1 };
      add('start', clock.nowMs() + result.retryInMs, [retry]);
    }
    add('start', clock.nowMs(), released);
    add('start', clock.nowMs(), await releaseWaiting(clock.pool, 1_000));
  }
}

test.each([1_000, 80, 20])(
  'a destination that is down is switched off 13 to 14 minutes after a burst of %i changes',
  async (changes) => {
    const seeded = await seedWaiting(clock.pool, changes);
    const { offAfterMs, requests, most } = await run(seeded, () => false);
    expect(offAfterMs).toBeGreaterThanOrEqual(13 * MINUTE_MS);
    expect(offAfterMs).toBeLessThanOrEqual(14 * MINUTE_MS);
    expect(requests).toBe(20);
    expect(most).toBe(2);
    expect(await destinationRow(clock.pool, seeded.destinationId)).toMatchObject({ failures: 20 });
    await skipPending(clock.pool, seeded.destinationId);
    expect(await countDeliveries(clock.pool, seeded.destinationId, `state = 'skipped'`)).toBe(changes);
  },
);

test('a busy destination that goes down is switched off after about a minute', async () => {
  const seeded = await seedWaiting(clock.pool, 400);
  const downAfterMs = 1_000;
  const { offAfterMs, most } = await run(seeded, (afterMs) => afterMs < downAfterMs);
  expect(most).toBe(8);
  expect((offAfterMs ?? 0) - downAfterMs).toBeGreaterThanOrEqual(60_000);
  expect((offAfterMs ?? 0) - downAfterMs).toBeLessThanOrEqual(63_000);
  expect(await destinationRow(clock.pool, seeded.destinationId)).toMatchObject({ state: 'off', failures: 20 });
});

test('a busy destination that is down for 30 s stays on and gets every change', async () => {
  const changes = 400;
  const seeded = await seedWaiting(clock.pool, changes);
  const downAfterMs = 1_000;
  const { offAfterMs, requests } = await run(
    seeded,
    (afterMs) => afterMs < downAfterMs || afterMs >= downAfterMs + 30_000,
  );
  expect(offAfterMs).toBeNull();
  expect(await countDeliveries(clock.pool, seeded.destinationId, `state = 'succeeded'`)).toBe(changes);
  expect(await destinationRow(clock.pool, seeded.destinationId)).toMatchObject({
    ...{ state: 'active', failures: 0, inFlight: 0, paceMs: null },
  });
  // Only the 8 requests in flight and one request after each of two pauses failed.
  expect(requests - changes).toBeLessThan(20);
});
