import { describe, expect, test } from '@jest/globals';
import { partOf, partsDue, rotationOfHours } from './poll-plan.js';

const HOUR_MS = 3_600_000;
const day = rotationOfHours(24, 1);
const start = new Date('2026-03-01T12:00:00.000Z');
const after = (durationMs: number) => new Date(start.getTime() + durationMs);

describe('the slow rotation', () => {
  test.each([0.25, 1, 4, 6])('every release is due once per cycle if the artist is polled every %p h', (everyHours) => {
    const releases = Array.from({ length: 300 }, (_, n) => String(1_000 + n));
    const times = new Map<string, number>();
    for (let hours = everyHours; hours <= 24; hours += everyHours) {
      const parts = partsDue(day, 'art_1', after((hours - everyHours) * HOUR_MS), after(hours * HOUR_MS));
      for (const release of releases) {
        if (parts.has(partOf(day, release))) times.set(release, (times.get(release) ?? 0) + 1);
      }
    }
    expect([...times.values()]).toEqual(releases.map(() => 1));
  });

  test('the rotation spreads releases and artists evenly over the cycle', () => {
    const parts = new Map<number, number>();
    for (let n = 0; n < 2_400; n += 1) parts.set(partOf(day, `r${n}`), (parts.get(partOf(day, `r${n}`)) ?? 0) + 1);
    expect(parts.size).toBe(24);
    expect(Math.max(...parts.values())).toBeLessThan(150);
    const dueNow = Array.from({ length: 400 }, (_, n) => partsDue(day, `art_${n}`, start, after(HOUR_MS / 4)).size);
    const share = dueNow.reduce((sum, size) => sum + size, 0) / 400;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.35);
  });

  test.each([8, 24])(
    'polls every %p h find only a limited number of releases due, but every release is due eventually',
    (everyHours) => {
      const seen = new Set<string>();
      const releases = Array.from({ length: 100 }, (_, n) => `r${n}`);
      let most = 0;
      for (let hours = everyHours; hours <= 60 * 24; hours += everyHours) {
        const parts = partsDue(day, 'art_1', after((hours - everyHours) * HOUR_MS), after(hours * HOUR_MS));
        const due = releases.filter((release) => parts.has(partOf(day, release)));
        most = Math.max(most, due.length);
        for (const release of due) seen.add(release);
      }
      expect(seen.size).toBe(100);
      expect(most).toBeLessThan(45);
    },
  );

  test('no parts are due right after a complete observation, and six are due after a long gap or before the first one', () => {
    expect(partsDue(day, 'art_1', start, start).size).toBe(0);
    expect(partsDue(day, 'art_1', start, after(100 * HOUR_MS)).size).toBe(6);
    expect(partsDue(day, 'art_1', null, start).size).toBe(6);
  });

  test('the interval factor shortens the cycle', () => {
    const fast = rotationOfHours(24, 0.001);
    expect(fast.cycleMs).toBe(86_400);
    expect(partsDue(fast, 'art_1', start, after(3_600)).size).toBe(1);
  });
});
