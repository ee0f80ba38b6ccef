/**
 * The run of failures of a destination (SPEC section 3, DESIGN section 4, Deliveries).
 *
 * It counts failed attempts across changes, in the order in which they settle. A success sets it to 0; the one that
 * reaches the threshold switches the destination off, once, and from then on nothing counts until it is enabled again.
 */
import type { AttemptVerdict } from './attempt-classification.js';
import { TRIGGERS, type Trigger } from './delivery-state.js';

/** At these numbers of failures in a row the account is warned, where they are below the threshold. */
export const WARN_AT: readonly number[] = [10, 15];

export type CountedOutcome = 'success' | 'failure';

export interface FailureRun {
  readonly consecutiveFailures: number;
  readonly off: boolean;
}

export interface FailureNotice {
  readonly kind: 'warning' | 'switched_off';
  readonly consecutiveFailures: number;
}

export interface FailureRunSettings {
  /** 1 or more; 20 unless set otherwise. */
  readonly switchOffAfter: number;
}

/** What an attempt adds to the run, or null: tests, resends, and our own faults add nothing. */
export function countedOutcome(trigger: Trigger, verdict: AttemptVerdict): CountedOutcome | null {
  if (!TRIGGERS[trigger].counted || verdict.kind === 'not_an_attempt') return null;
  return verdict.kind === 'succeeded' ? 'success' : 'failure';
}

/** Counts one outcome. The notice says that the account is to be told. */
export function settleOutcome(
  run: FailureRun,
  outcome: CountedOutcome,
  { switchOffAfter }: FailureRunSettings,
): { readonly run: FailureRun; readonly notice: FailureNotice | null } {
  if (run.off) return { run, notice: null };
  if (outcome === 'success') return { run: { consecutiveFailures: 0, off: false }, notice: null };
  const consecutiveFailures = run.consecutiveFailures + 1;
  if (consecutiveFailures >= switchOffAfter) {
    return { run: { consecutiveFailures, off: true }, notice: { kind: 'switched_off', consecutiveFailures } };
  }
  const notice = WARN_AT.includes(consecutiveFailures) ? warning(consecutiveFailures) : null;
  return { run: { consecutiveFailures, off: false }, notice };
}

/** What one statement needs to know of many outcomes of a destination that settle together, in their order. */
export interface RunSummary {
  /** All of them, when there was no success. */
  readonly failuresBeforeFirstSuccess: number;
  /** The longest run that began after a success, the last one included; 0 without a success. */
  readonly longestInnerRun: number;
  /** 0 without a success. */
  readonly failuresAfterLastSuccess: number;
  readonly hasSuccess: boolean;
}

export function summariseRun(outcomes: readonly CountedOutcome[]): RunSummary {
  let current = 0;
  let failuresBeforeFirstSuccess = 0;
  let longestInnerRun = 0;
  let hasSuccess = false;
  for (const outcome of outcomes) {
    if (outcome === 'failure') {
      current += 1;
      if (hasSuccess) longestInnerRun = Math.max(longestInnerRun, current);
      else failuresBeforeFirstSuccess = current;
    } else {
      hasSuccess = true;
      current = 0;
    }
  }
  return {
    failuresBeforeFirstSuccess,
    longestInnerRun,
    failuresAfterLastSuccess: hasSuccess ? current : 0,
    hasSuccess,
  };
}

/**
 * Counts many outcomes at once: the same run, and the same notices, as counting them one by one. This is the reference
 * for the statement that does it in SQL:
 *
 *     head_crosses         = before > 0 AND run + before >= threshold
 *     off                  = head_crosses OR inner >= threshold
 *     consecutive_failures = CASE WHEN head_crosses THEN greatest(threshold, run + 1) WHEN off THEN threshold
 *                                 WHEN has_success THEN after ELSE run + before END
 *
 * A level that is reached twice within one batch is told once.
 */
export function settleSummary(
  run: FailureRun,
  summary: RunSummary,
  { switchOffAfter }: FailureRunSettings,
): { readonly run: FailureRun; readonly notices: readonly FailureNotice[] } {
  if (run.off) return { run, notices: [] };
  const { failuresBeforeFirstSuccess, longestInnerRun, failuresAfterLastSuccess, hasSuccess } = summary;
  const head = run.consecutiveFailures + failuresBeforeFirstSuccess;
  const inHead = (level: number): boolean => run.consecutiveFailures < level && head >= level;
  const warnings = (reached: (level: number) => boolean): FailureNotice[] =>
    WARN_AT.filter((level) => level < switchOffAfter && reached(level)).map(warning);

  if (failuresBeforeFirstSuccess > 0 && head >= switchOffAfter) {
    // A threshold that was lowered may lie behind the run already: then the first failure crosses it.
    return switchedOff(Math.max(switchOffAfter, run.consecutiveFailures + 1), warnings(inHead));
  }
  const notices = warnings((level) => inHead(level) || longestInnerRun >= level);
  if (longestInnerRun >= switchOffAfter) return switchedOff(switchOffAfter, notices);
  return { run: { consecutiveFailures: hasSuccess ? failuresAfterLastSuccess : head, off: false }, notices };
}

/**
 * The warnings of the present run of failures, newest first. Within a run each notice has a higher count than the one
 * before it, so a count that is not lower than that of the newer notice belongs to a run that has ended.
 *
 * @param notices newest first, of whatever kind.
 */
export function standingWarnings<Notice extends { readonly kind: string; readonly consecutiveFailures: number }>(
  notices: readonly Notice[],
  consecutiveFailures: number,
): (Notice & Pick<FailureNotice, 'kind'>)[] {
  const standing: (Notice & Pick<FailureNotice, 'kind'>)[] = [];
  let highest = consecutiveFailures;
  for (const notice of notices) {
    if (notice.kind === 'enabled') break;
    if (!isFailureNotice(notice)) continue;
    if (notice.consecutiveFailures > highest) break;
    standing.push(notice);
    highest = notice.consecutiveFailures - 1;
  }
  return standing;
}

function isFailureNotice<Notice extends { readonly kind: string }>(
  notice: Notice,
): notice is Notice & Pick<FailureNotice, 'kind'> {
  return notice.kind === 'warning' || notice.kind === 'switched_off';
}

function warning(consecutiveFailures: number): FailureNotice {
  return { kind: 'warning', consecutiveFailures };
}

function switchedOff(consecutiveFailures: number, warnings: readonly FailureNotice[]) {
  return {
    run: { consecutiveFailures, off: true },
    notices: [...warnings, { kind: 'switched_off', consecutiveFailures } as const],
  };
}
