import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DestinationShares } from './destination-shares.js';

const options = { slots: 64, quickMs: 1_000 };
const quick = { succeeded: true, tookMs: 5 };
const slow = { succeeded: true, tookMs: 5_000 };

/** Enters until the share is full; how many got in. */
function fill(shares: DestinationShares, destinationId: string, nowMs = 0): number {
  let entered = 0;
  while (shares.enter(destinationId, nowMs).kind === 'go') entered += 1;
  return entered;
}

function answer(shares: DestinationShares, destinationId: string, ended: typeof quick, times = 1): void {
  for (let time = 0; time < times; time += 1) {
    shares.enter(destinationId, 0);
    shares.leave(destinationId, ended, 0);
  }
}

function waitOf(shares: DestinationShares, destinationId: string, nowMs: number): number {
  const turn = shares.enter(destinationId, nowMs);
  return turn.kind === 'full' ? turn.waitMs : Number.NaN;
}

describe('the share of a destination', () => {
  test('starts at four slots, and of a few at half of them', () => {
    expect(fill(new DestinationShares(options), 'new')).toBe(4);
    expect(fill(new DestinationShares({ ...options, slots: 4 }), 'new')).toBe(2);
    expect(fill(new DestinationShares({ ...options, slots: 1 }), 'new')).toBe(1);
  });

  test('grows with quick successes to no more than half of the slots', () => {
    const shares = new DestinationShares(options);
    answer(shares, 'quick', quick, 200);
    expect(fill(shares, 'quick')).toBe(32);
  });

  test('is halved by a slow success down to four', () => {
    const shares = new DestinationShares(options);
    answer(shares, 'slow', quick, 200);
    answer(shares, 'slow', slow);
    expect(fill(shares, 'slow')).toBe(16);
    for (let left = 0; left < 16; left += 1) shares.leave('slow', slow, 0);
    expect(fill(shares, 'slow')).toBe(4);
  });

  test('starts anew after a failure, and after it was idle', () => {
    const shares = new DestinationShares(options);
    answer(shares, 'failing', quick, 200);
    answer(shares, 'failing', { succeeded: false, tookMs: 5 });
    expect(fill(shares, 'failing')).toBe(4);
    answer(shares, 'idle', quick, 200);
    expect(fill(shares, 'idle', 60_000)).toBe(4);
  });

  test('is never exceeded, and never keeps what was given back, whatever happens', () => {
    const step = fc.record({
      enters: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 15_000 }),
      ended: fc.option(fc.record({ succeeded: fc.boolean(), tookMs: fc.integer({ min: 0, max: 20_000 }) }), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const shares = new DestinationShares(options);
        let inFlight = 0;
        let nowMs = 0;
        for (const { enters, afterMs, ended } of steps) {
          nowMs += afterMs;
          // One that is new has those forgotten that were idle.
          if (shares.enter(`new at ${nowMs}`, nowMs).kind === 'go') shares.leave(`new at ${nowMs}`, undefined, nowMs);
          if (enters) inFlight += shares.enter('one', nowMs).kind === 'go' ? 1 : 0;
          else if (inFlight > 0) {
            shares.leave('one', ended, nowMs);
            inFlight -= 1;
          }
          expect(inFlight).toBeLessThanOrEqual(32);
        }
        while (inFlight-- > 0) shares.leave('one', undefined, nowMs);
        expect(shares.enter('one', nowMs).kind).toBe('go');
      }),
    );
  });
});

describe('what finds the share full', () => {
  test('comes back soon where answers are quick', () => {
    const shares = new DestinationShares(options);
    answer(shares, 'quick', quick);
    fill(shares, 'quick');
    expect(waitOf(shares, 'quick', 100)).toBe(200);
  });

  test('waits for as long again as the destination has been silent, and for some answers of a slow one', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'hung');
    expect(waitOf(shares, 'hung', 1_500)).toBe(1_500);
    answer(shares, 'slow', slow);
    fill(shares, 'slow');
    expect(waitOf(shares, 'slow', 0)).toBe(20_000);
    answer(shares, 'very slow', { succeeded: true, tookMs: 9_000 });
    fill(shares, 'very slow');
    expect(waitOf(shares, 'very slow', 0)).toBe(30_000);
  });

  test('is back within two seconds after a long silence, as of a proxy that was frozen or of a record that was away', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'silent');
    expect(waitOf(shares, 'silent', 9_000)).toBe(2_000);
    expect(waitOf(shares, 'silent', 80_000)).toBe(2_000);
  });

  test('of one destination makes none wait of another', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'hung');
    expect(shares.enter('other', 0)).toEqual({ kind: 'go' });
  });
});
