import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DestinationShares } from './destination-shares.js';

const options = { slots: 64, quickMs: 1_000 };

/** Enters until the share is full; how many got in. */
function fill(shares: DestinationShares, destinationId: string, nowMs = 0): number {
  let entered = 0;
  while (shares.enter(destinationId, nowMs).kind === 'go') entered += 1;
  return entered;
}

describe('the share of a destination', () => {
  test('starts at an eighth of the slots', () => {
    expect(fill(new DestinationShares(options), 'new')).toBe(8);
  });

  test('grows with quick answers to no more than half of the slots', () => {
    const shares = new DestinationShares(options);
    for (let answers = 0; answers < 200; answers += 1) {
      shares.enter('quick', answers);
      shares.leave('quick', 5);
    }
    expect(fill(shares, 'quick')).toBe(32);
  });

  test('falls to four when answers are slow, and grows again when they are quick', () => {
    const shares = new DestinationShares(options);
    const answer = (tookMs: number) => {
      shares.enter('slow', 0);
      shares.leave('slow', tookMs);
    };
    answer(10_000);
    answer(10_000);
    answer(10_000);
    expect(fill(shares, 'slow')).toBe(4);
    for (let count = 0; count < 4; count += 1) shares.leave('slow', 5);
    expect(fill(shares, 'slow')).toBe(8);
  });

  test('is never exceeded, and never keeps what was given back, whatever happens', () => {
    const step = fc.record({
      enters: fc.boolean(),
      tookMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const shares = new DestinationShares(options);
        let inFlight = 0;
        for (const [nowMs, { enters, tookMs }] of steps.entries()) {
          if (enters) inFlight += shares.enter('one', nowMs).kind === 'go' ? 1 : 0;
          else if (inFlight > 0) {
            shares.leave('one', tookMs);
            inFlight -= 1;
          }
          expect(inFlight).toBeLessThanOrEqual(32);
        }
        while (inFlight-- > 0) shares.leave('one', undefined);
        expect(shares.enter('one', steps.length).kind).toBe('go');
      }),
    );
  });
});

describe('a turn', () => {
  test('comes later for each that is sent away, and never later than a bound', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'busy');
    const waits = Array.from({ length: 1_000 }, () => shares.enter('busy', 0)).map((turn) =>
      turn.kind === 'full' ? turn.waitMs : Number.NaN,
    );
    expect([...waits].sort((a, b) => a - b)).toEqual(waits);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
    shares.leave('busy', 60_000);
    shares.enter('busy', 0);
    const slow = Array.from({ length: 1_000 }, () => shares.enter('busy', 0));
    expect(Math.max(...slow.map((turn) => (turn.kind === 'full' ? turn.waitMs : 0)))).toBe(30_000);
  });

  test('of one destination does not depend on another', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'hung');
    expect(shares.enter('other', 0)).toEqual({ kind: 'go' });
  });
});
