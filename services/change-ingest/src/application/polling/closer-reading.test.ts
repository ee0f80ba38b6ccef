import type { CloserClaim } from '@artist-watch/persistence/polling/due-artists';
import { describe, expect, test } from '@jest/globals';
import { nextCloserReading, releasesOfReading } from './closer-reading.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const look: CloserClaim = { depth: 'deep', after: null, intervalMs: 15 * MINUTE_MS };
const ids = Array.from({ length: 30 }, (_, n) => `r${100 + n}`);

describe('closer looks', () => {
  test('go through all releases in less than an interval, each release once, and begin anew', () => {
    const read: string[] = [];
    let [after, at]: [string | null, Date] = [null, now];
    do {
      read.push(...releasesOfReading({ ...look, after }, ids.toReversed()));
      ({ after, at } = nextCloserReading({ ...look, after }, ids.toReversed(), at));
    } while (after !== null);
    expect(read).toEqual(ids);
    expect(at.getTime() - now.getTime()).toBe(12 * MINUTE_MS);
  });

  test('go on after the place of the last one, though that release is gone', () => {
    expect(releasesOfReading({ ...look, after: 'r127x' }, ids)).toEqual(['r128', 'r129']);
    expect(nextCloserReading({ ...look, after: 'r129' }, ids, now).after).toBeNull();
  });

  test('stay where they are when the platform gave no usable answer, and are tried again soon', () => {
    expect(nextCloserReading({ ...look, after: 'r109' }, undefined, now)).toEqual({
      at: new Date(now.getTime() + MINUTE_MS),
      after: 'r109',
    });
  });

  test('of an artist without releases come once an interval', () => {
    expect(nextCloserReading(look, [], now)).toEqual({ at: new Date(now.getTime() + 12 * MINUTE_MS), after: null });
  });
});
