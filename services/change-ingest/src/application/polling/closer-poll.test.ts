import type { CloserClaim } from '@artist-watch/persistence/polling/due-artists';
import { describe, expect, test } from '@jest/globals';
import { nextCloserPoll, releasesOfPoll } from './poll-plan.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const claim: CloserClaim = { depth: 'deep', after: null, intervalMs: 15 * MINUTE_MS };
const ids = Array.from({ length: 30 }, (_, n) => `r${100 + n}`);

describe('detailed polls', () => {
  test('detailed polls read every release once in less than one interval, and then start again', () => {
    const read: string[] = [];
    let [after, at]: [string | null, Date] = [null, now];
    do {
      read.push(...releasesOfPoll({ ...claim, after }, ids.toReversed()));
      ({ after, at } = nextCloserPoll({ ...claim, after }, ids.toReversed(), at));
    } while (after !== null);
    expect(read).toEqual(ids);
    expect(at.getTime() - now.getTime()).toBe(12 * MINUTE_MS);
  });

  test('detailed polls continue after the last release that was read, even if it was removed', () => {
    expect(releasesOfPoll({ ...claim, after: 'r127x' }, ids)).toEqual(['r128', 'r129']);
    expect(nextCloserPoll({ ...claim, after: 'r129' }, ids, now).after).toBeNull();
  });

  test('a detailed poll without a usable response is repeated after a minute at the same position', () => {
    expect(nextCloserPoll({ ...claim, after: 'r109' }, undefined, now)).toEqual({
      at: new Date(now.getTime() + MINUTE_MS),
      after: 'r109',
    });
  });

  test('an artist without releases is polled in detail again after one full cycle', () => {
    expect(nextCloserPoll(claim, [], now)).toEqual({ at: new Date(now.getTime() + 12 * MINUTE_MS), after: null });
  });
});
