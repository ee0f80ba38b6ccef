import { describe, expect, test } from '@jest/globals';
import { nextPollAt, type ScheduleQuestion } from './schedule.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const settings = { intervalFactor: 1, confirmIntervalMs: 10 * MINUTE_MS };

function pauseMs(question: Partial<ScheduleQuestion>, intervalFactor = 1): number | null {
  const input = { now, planIntervalMs: 15 * MINUTE_MS, purpose: 'usual', incompletePolls: 0, ...question } as const;
  const at = nextPollAt(input, { ...settings, intervalFactor });
  return at === null ? null : at.getTime() - now.getTime();
}

describe('nextPollAt', () => {
  test('the next poll is due after the interval of the fastest plan', () => {
    expect(pauseMs({})).toBe(15 * MINUTE_MS);
    expect(pauseMs({ planIntervalMs: 1_440 * MINUTE_MS })).toBe(1_440 * MINUTE_MS);
  });

  test('there is no next poll while no account watches the artist', () => {
    expect(pauseMs({ planIntervalMs: null, incompletePolls: 3 })).toBeNull();
  });

  test('while a change is suspected, the next poll is due within 10 minutes', () => {
    expect(pauseMs({ purpose: 'confirm', planIntervalMs: 1_440 * MINUTE_MS })).toBe(10 * MINUTE_MS);
    expect(pauseMs({ purpose: 'confirm', planIntervalMs: 5 * MINUTE_MS })).toBe(5 * MINUTE_MS);
  });

  test('the next poll is due after 1 ms if it must read releases that the first poll only listed', () => {
    expect(pauseMs({ purpose: 'learn' })).toBe(1);
  });

  test('after failures, the next poll is delayed by up to an hour on every plan', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((incompletePolls) => pauseMs({ incompletePolls }));
    expect(pauses.map((pause) => (pause ?? 0) / MINUTE_MS)).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60]);
    expect(pauseMs({ incompletePolls: 50, planIntervalMs: 1_440 * MINUTE_MS })).toBe(60 * MINUTE_MS);
    expect(pauseMs({ incompletePolls: 8, purpose: 'confirm' })).toBe(60 * MINUTE_MS);
  });

  test('the interval factor scales the interval, which is at least 1 ms, and never lengthens a back-off', () => {
    expect(pauseMs({}, 0.01)).toBe(9_000);
    expect(pauseMs({ incompletePolls: 1 }, 0.01)).toBe(300);
    expect(pauseMs({ incompletePolls: 1 }, 0.000_001)).toBe(1);
    expect(pauseMs({ incompletePolls: 1 }, 100)).toBe(30_000);
  });
});
