import { describe, expect, test } from '@jest/globals';
import { classifyAttempt } from './attempt-classification.js';
import { ATTEMPT_ERRORS, adviceOn, blameFor, isAttemptError } from './attempt-errors.js';
import { failureKinds, STATUS_CLASSES } from './delivery-state.js';

const kindOf = (error: string, status?: number) =>
  error + (status === undefined ? '' : `:${Math.floor(status / 100)}xx`);

describe('a filter for failures', () => {
  test('every failed HTTP status can be found by its error, status class and blame', () => {
    for (const status of [100, 199, 300, 308, 399, 400, 404, 499, 500, 599, 600, 999]) {
      const verdict = classifyAttempt({ kind: 'answered', status });
      if (verdict.kind !== 'failed') throw new Error(`${status} is not a failure`);
      const kind = kindOf(verdict.error, status);
      expect(failureKinds({ error: verdict.error })).toContain(kind);
      expect(failureKinds({ blame: 'receiver' })).toContain(kind);
      expect(failureKinds({ blame: 'policy' })).not.toContain(kind);
      const classes = STATUS_CLASSES.filter((statusClass) => failureKinds({ statusClass })?.includes(kind));
      expect(classes).toEqual(STATUS_CLASSES.filter((statusClass) => statusClass === kind.split(':')[1]));
    }
  });

  test.each(ATTEMPT_ERRORS)('%s is found only if the blamed cause matches', (error) => {
    const blame = blameFor(error);
    const kinds = failureKinds({ error, blame }) ?? [];
    expect(kinds.length).toBeGreaterThan(0);
    expect(failureKinds({ blame })).toEqual(expect.arrayContaining([...kinds]));
    expect(failureKinds({ error, blame: blame === 'policy' ? 'receiver' : 'policy' })).toEqual([]);
  });

  test('a filter whose fields contradict each other matches nothing, and one without fields matches everything', () => {
    expect(failureKinds({ error: 'timed_out', statusClass: '5xx' })).toEqual([]);
    expect(failureKinds({})).toBeUndefined();
  });
});

test('every error has advice, except unknown errors stored by an earlier version', () => {
  for (const error of ATTEMPT_ERRORS) expect(adviceOn(error)).toMatch(/^[A-Z].*\.$/);
  expect(adviceOn('status')).toBeNull();
  expect(isAttemptError('toString')).toBe(false);
});
