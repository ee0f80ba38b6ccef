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

/** Others ask every half second meanwhile. */
function letPass(shares: DestinationShares, fromMs: number, toMs: number): void {
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 500) {
    shares.enter('other', nowMs);
    shares.leave('other', 5, nowMs);
  }
}

/** Of deliveries that find the share full. */
function waitsOf(shares: DestinationShares, destinationId: string, nowMs: number, deliveries: number): number[] {
  return Array.from({ length: deliveries }, () => {
    const turn = shares.enter(destinationId, nowMs);
    return turn.kind === 'full' ? turn.waitMs : Number.NaN;
  });
}

describe('the share of a destination', () => {
  test('starts at an eighth of the slots', () => {
    expect(fill(new DestinationShares(options), 'new')).toBe(8);
  });

  test('grows with quick answers to no more than half of the slots', () => {
    const shares = new DestinationShares(options);
    for (let answers = 0; answers < 200; answers += 1) {
      shares.enter('quick', answers);
      shares.leave('quick', 5, answers);
    }
    expect(fill(shares, 'quick')).toBe(32);
  });

  test('falls to four when answers are slow, and grows again when they are quick', () => {
    const shares = new DestinationShares(options);
    const answer = (tookMs: number) => {
      shares.enter('slow', 0);
      shares.leave('slow', tookMs, 0);
    };
    answer(10_000);
    answer(10_000);
    answer(10_000);
    expect(fill(shares, 'slow')).toBe(4);
    for (let count = 0; count < 4; count += 1) shares.leave('slow', 5, 0);
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
            shares.leave('one', tookMs, nowMs);
            inFlight -= 1;
          }
          expect(inFlight).toBeLessThanOrEqual(32);
        }
        while (inFlight-- > 0) shares.leave('one', undefined, steps.length);
        expect(shares.enter('one', steps.length).kind).toBe('go');
      }),
    );
  });
});

describe('a turn', () => {
  test('comes later for each that is sent away, and never later than a bound', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'busy');
    const waits = waitsOf(shares, 'busy', 0, 1_000);
    expect([...waits].sort((a, b) => a - b)).toEqual(waits);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  });

  test('is never more than half a minute away where answers are slow, and a long line does not come back at once', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'slow');
    shares.leave('slow', 60_000, 0);
    shares.enter('slow', 0);
    const waits = waitsOf(shares, 'slow', 0, 3_000).slice(1_000);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    const secondsOf15 = new Map<number, number>();
    for (const wait of waits)
      secondsOf15.set(Math.floor(wait / 1_000), (secondsOf15.get(Math.floor(wait / 1_000)) ?? 0) + 1);
    expect(Math.max(...secondsOf15.values())).toBeLessThan((waits.length / 15) * 1.2);
  });

  test.each([2_000, 8_000, 20_000])(
    'is up to as far off as a destination has been silent, %i ms, before any request has ended',
    (silentMs) => {
      const shares = new DestinationShares(options);
      fill(shares, 'hung', 0);
      letPass(shares, 0, silentMs);
      const waits = waitsOf(shares, 'hung', silentMs, 1_000).slice(100);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(silentMs / 2);
      expect(Math.max(...waits)).toBeLessThanOrEqual(silentMs);
    },
  );

  test('is near when it was this process that stood still', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'busy', 0);
    expect(Math.max(...waitsOf(shares, 'busy', 60_000, 1_000))).toBeLessThanOrEqual(1_000);
  });

  test('is near again as soon as a silent destination answers', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'back', 0);
    letPass(shares, 0, 5_000);
    waitsOf(shares, 'back', 5_000, 100);
    for (let answers = 0; answers < 8; answers += 1) shares.leave('back', 50, 6_000 + answers);
    expect(fill(shares, 'back', 6_010)).toBeGreaterThan(8);
    expect(Math.max(...waitsOf(shares, 'back', 6_010, 1_000))).toBeLessThanOrEqual(1_000);
  });

  test('of one destination does not depend on another', () => {
    const shares = new DestinationShares(options);
    fill(shares, 'hung');
    expect(shares.enter('other', 0)).toEqual({ kind: 'go' });
  });
});
