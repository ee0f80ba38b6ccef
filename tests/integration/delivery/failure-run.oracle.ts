import { type PaceLimits, WARN_AT } from '@artist-watch/domain/delivery/retry-schedule';

/** What a destination's row holds of its failures. */
export interface FailureRun {
  readonly consecutiveFailures: number;
  readonly off: boolean;
  /** Null while it is not paced. */
  readonly paceMs: number | null;
}

/** An attempt that counts: of a change or a recovery, answered or failed by the receiver. */
export interface CountedAttempt {
  readonly outcome: 'succeeded' | 'failed';
  /** The first of its round. */
  readonly isFirst: boolean;
  /** It had the turn of a paced destination; else it was claimed while the destination was not paced. */
  readonly hadTurn: boolean;
}

export interface FailureNotice {
  readonly kind: 'warning' | 'switched_off';
  readonly consecutiveFailures: number;
}

/**
 * The reference for the statement that settles attempts (`packages/delivery/src/store/settlement.ts`, which alone
 * switches destinations off): one attempt after the other.
 */
export function countAttempt(
  run: FailureRun,
  { outcome, isFirst, hadTurn }: CountedAttempt,
  { switchOffAfter, pace }: { readonly switchOffAfter: number; readonly pace: PaceLimits },
): { readonly run: FailureRun; readonly notice: FailureNotice | null } {
  if (run.off) return { run, notice: null };
  if (outcome === 'succeeded') return { run: { consecutiveFailures: 0, off: false, paceMs: null }, notice: null };
  // On the wire already when the pacing began.
  if (isFirst && !hadTurn && run.paceMs !== null) return { run, notice: null };
  const consecutiveFailures = run.consecutiveFailures + 1;
  if (consecutiveFailures >= switchOffAfter) {
    const off = { consecutiveFailures, off: true, paceMs: null };
    return { run: off, notice: { kind: 'switched_off', consecutiveFailures } };
  }
  const longer = run.paceMs === null ? pace.shortestMs : Math.min(run.paceMs * 2, pace.longestMs);
  return {
    run: { consecutiveFailures, off: false, paceMs: isFirst ? longer : run.paceMs },
    notice: WARN_AT.includes(consecutiveFailures) ? { kind: 'warning', consecutiveFailures } : null,
  };
}
