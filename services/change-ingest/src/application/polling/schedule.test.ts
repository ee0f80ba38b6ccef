import { describe, expect, test } from '@jest/globals';
import { nextPollAt, type ScheduleQuestion } from './schedule.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const settings = { intervalFactor: 1, confirmIntervalMs: 10 * MINUTE_MS };

function pauseMs(question: Partial<ScheduleQuestion>, intervalFactor = 1): number | null {
  const asked = { now, planIntervalMs: 15 * MINUTE_MS, purpose: 'usual', incompletePolls: 0, ...question } as const;
  const at = nextPollAt(asked, { ...settings, intervalFactor });
  return at === null ? null : at.getTime() - now.getTime();
}

describe('the next reading of an artist', () => {
  test('comes after the interval of the fastest plan', () => {
    expect(pauseMs({})).toBe(15 * MINUTE_MS);
    expect(pauseMs({ planIntervalMs: 1_440 * MINUTE_MS })).toBe(1_440 * MINUTE_MS);
  });

  test('comes never while nobody watches it', () => {
    expect(pauseMs({ planIntervalMs: null, incompletePolls: 3 })).toBeNull();
  });

  test('comes sooner while something is suspected, and no later than usual', () => {
    expect(pauseMs({ purpose: 'confirm', planIntervalMs: 1_440 * MINUTE_MS })).toBe(10 * MINUTE_MS);
    expect(pauseMs({ purpose: 'confirm', planIntervalMs: 5 * MINUTE_MS })).toBe(5 * MINUTE_MS);
  });

  test('comes at once, but not at the same instant, for what the first one left unread', () => {
    expect(pauseMs({ purpose: 'learn' })).toBe(1);
  });

  test('comes ever later after failures, and within an hour whatever the plan', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((incompletePolls) => pauseMs({ incompletePolls }));
    expect(pauses.map((pause) => (pause ?? 0) / MINUTE_MS)).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60]);
    expect(pauseMs({ incompletePolls: 50, planIntervalMs: 1_440 * MINUTE_MS })).toBe(60 * MINUTE_MS);
    expect(pauseMs({ incompletePolls: 8, purpose: 'confirm' })).toBe(60 * MINUTE_MS);
  });

  test('is scaled as a whole, and never comes at the same instant', () => {
    expect(pauseMs({}, 0.01)).toBe(9_000);
    expect(pauseMs({ incompletePolls: 1 }, 0.01)).toBe(300);
    expect(pauseMs({ incompletePolls: 1 }, 0.000_001)).toBe(1);
    expect(pauseMs({ incompletePolls: 1 }, 100)).toBe(30_000);
  });
});
