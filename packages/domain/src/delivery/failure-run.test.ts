import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptVerdict } from './attempt-classification.js';
import type { Trigger } from './delivery-state.js';
import {
  type CountedOutcome,
  countedOutcome,
  type FailureNotice,
  type FailureRun,
  settleOutcome,
  settleSummary,
  standingWarnings,
  summariseRun,
} from './failure-run.js';

const SETTINGS = { switchOffAfter: 20 };
const START: FailureRun = { consecutiveFailures: 0, off: false };

function fold(outcomes: readonly CountedOutcome[], run = START, settings = SETTINGS) {
  const notices: FailureNotice[] = [];
  for (const outcome of outcomes) {
    const step = settleOutcome(run, outcome, settings);
    run = step.run;
    if (step.notice) notices.push(step.notice);
  }
  return { run, notices };
}

const failures = (count: number): CountedOutcome[] => Array.from({ length: count }, () => 'failure');

describe('what counts', () => {
  const succeeded: AttemptVerdict = { kind: 'succeeded', status: 200 };
  const failed = (blame: 'receiver' | 'policy'): AttemptVerdict => ({ kind: 'failed', blame, error: 'e', reason: 'r' });
  const forgiven = (blame: 'egress' | 'internal'): AttemptVerdict => ({
    kind: 'not_an_attempt',
    blame,
    error: 'e',
    reason: 'r',
  });

  test.each<[Trigger, AttemptVerdict, CountedOutcome | null]>([
    ['change', succeeded, 'success'],
    ['change', failed('receiver'), 'failure'],
    ['change', failed('policy'), 'failure'],
    ['change', forgiven('egress'), null],
    ['change', forgiven('internal'), null],
    ['recover', succeeded, 'success'],
    ['recover', failed('receiver'), 'failure'],
    ['test', succeeded, null],
    ['test', failed('receiver'), null],
    ['resend', succeeded, null],
    ['resend', failed('policy'), null],
  ])('%s, %j: %p', (trigger, verdict, outcome) => {
    expect(countedOutcome(trigger, verdict)).toBe(outcome);
  });
});

describe('settleOutcome', () => {
  test('the 20th failure in a row switches off, the 19th does not', () => {
    expect(fold(failures(19)).run).toEqual({ consecutiveFailures: 19, off: false });
    expect(fold(failures(20)).run).toEqual({ consecutiveFailures: 20, off: true });
  });

  test('the account is told at 10, at 15 and at the switch-off', () => {
    expect(fold(failures(30)).notices).toEqual([
      { kind: 'warning', consecutiveFailures: 10 },
      { kind: 'warning', consecutiveFailures: 15 },
      { kind: 'switched_off', consecutiveFailures: 20 },
    ]);
  });

  test('a success sets the run to 0', () => {
    const run = fold([...failures(19), 'success', ...failures(19)]);
    expect(run.run).toEqual({ consecutiveFailures: 19, off: false });
    expect(run.notices).toHaveLength(4);
  });

  test('after the switch-off nothing counts, not even a success that was on the wire', () => {
    expect(fold([...failures(20), 'success', 'failure']).run).toEqual({ consecutiveFailures: 20, off: true });
  });

  test('a threshold at or below a warning level replaces it', () => {
    expect(fold(failures(10), START, { switchOffAfter: 10 }).notices).toEqual([
      { kind: 'switched_off', consecutiveFailures: 10 },
    ]);
    expect(fold(failures(1), START, { switchOffAfter: 1 }).run.off).toBe(true);
  });
});

describe('summariseRun', () => {
  test.each<[string, CountedOutcome[], ReturnType<typeof summariseRun>]>([
    ['nothing', [], summary(0, 0, 0, false)],
    ['only failures', failures(3), summary(3, 0, 0, false)],
    ['a success', ['success'], summary(0, 0, 0, true)],
    ['head and tail', [...failures(2), 'success', ...failures(4)], summary(2, 4, 4, true)],
    ['a long run inside', ['success', ...failures(9), 'success', 'failure'], summary(0, 9, 1, true)],
  ])('%s', (_, outcomes, expected) => {
    expect(summariseRun(outcomes)).toEqual(expected);
  });

  function summary(before: number, inner: number, after: number, hasSuccess: boolean) {
    return {
      failuresBeforeFirstSuccess: before,
      longestInnerRun: inner,
      failuresAfterLastSuccess: after,
      hasSuccess,
    };
  }

  test('settling a batch by its summary is settling its outcomes one by one', () => {
    const outcome = fc.oneof(
      { weight: 5, arbitrary: fc.constant('failure' as const) },
      { weight: 1, arbitrary: fc.constant('success' as const) },
    );
    fc.assert(
      fc.property(
        fc.array(outcome, { maxLength: 80 }),
        fc.nat(30),
        fc.boolean(),
        fc.integer({ min: 1, max: 25 }),
        (outcomes, consecutiveFailures, off, switchOffAfter) => {
          const run = { consecutiveFailures, off };
          const settings = { switchOffAfter };
          const oneByOne = fold(outcomes, run, settings);
          const atOnce = settleSummary(run, summariseRun(outcomes), settings);
          expect(atOnce.run).toEqual(oneByOne.run);
          const told = (notices: readonly FailureNotice[]) =>
            [...new Set(notices.map((notice) => `${notice.kind} ${notice.consecutiveFailures}`))].sort();
          expect(told(atOnce.notices)).toEqual(told(oneByOne.notices));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('however a stream of outcomes is cut into batches, the run comes out the same', () => {
    const outcome = fc.constantFrom<CountedOutcome>('failure', 'failure', 'failure', 'failure', 'failure', 'success');
    fc.assert(
      fc.property(fc.array(fc.array(outcome, { maxLength: 30 }), { maxLength: 6 }), (batches) => {
        let run = START;
        for (const batch of batches) run = settleSummary(run, summariseRun(batch), SETTINGS).run;
        expect(run).toEqual(fold(batches.flat()).run);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the warnings that stand', () => {
  test('are those since the run of failures began, whatever is done to the destination', () => {
    const step = fc.constantFrom<CountedOutcome | 'enabled' | 'secret_rotated'>(
      ...failures(12),
      'success',
      'enabled',
      'secret_rotated',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        let run = START;
        const notices: { kind: string; consecutiveFailures: number }[] = [];
        let standing: typeof notices = [];
        for (const taken of steps) {
          if (taken === 'enabled' || taken === 'secret_rotated') {
            notices.unshift({ kind: taken, consecutiveFailures: run.consecutiveFailures });
            if (taken === 'enabled') run = START;
          } else {
            const settled = settleOutcome(run, taken, SETTINGS);
            run = settled.run;
            if (settled.notice) notices.unshift(settled.notice);
            if (settled.notice) standing = [settled.notice, ...standing];
          }
          if (run.consecutiveFailures === 0) standing = [];
          expect(standingWarnings(notices, run.consecutiveFailures)).toEqual(standing);
        }
      }),
    );
  });

  test('are none of another threshold that switched the destination off before', () => {
    const notices = [
      { kind: 'warning', consecutiveFailures: 10 },
      { kind: 'enabled', consecutiveFailures: 5 },
      { kind: 'switched_off', consecutiveFailures: 5 },
    ];
    expect(standingWarnings(notices, 11)).toEqual(notices.slice(0, 1));
  });
});
