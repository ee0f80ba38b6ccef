/**
 * The life of a delivery, as types: what is not drawn here does not compile.
 *
 *     pending ── attempt succeeded ──────────────► succeeded ─┐
 *        │ ▲ └── attempt failed, round exhausted ─► failed ────┤
 *        │ └──── attempt failed, delays left                  │ resend: any of them, one attempt
 *        └────── destination off, deleted, no plan ► skipped ─┤ recover: failed or skipped, a full round
 *     pending ◄───────────────────────────────────────────────┘
 *
 * A verdict `not_an_attempt` is no transition: the delivery stays as it is, and only waits.
 */
import type { AttemptMade } from './attempt-classification.js';
import { retryDelaysFor, type Trigger } from './delivery-state.js';
import { nextAttemptAt } from './retry-schedule.js';

interface Numbered {
  readonly trigger: Trigger;
  /** Attempts made in all; the next one has this number plus 1. */
  readonly attemptCount: number;
  /** Attempts made before the present round. */
  readonly roundStart: number;
}

export interface PendingDelivery extends Numbered {
  readonly state: 'pending';
  readonly nextAttemptAt: Date;
}

export interface SucceededDelivery extends Numbered {
  readonly state: 'succeeded';
  readonly settledAt: Date;
}

export interface FailedDelivery extends Numbered {
  readonly state: 'failed';
  readonly settledAt: Date;
}

export interface SkippedDelivery extends Numbered {
  readonly state: 'skipped';
  readonly settledAt: Date;
  readonly skippedReason: SkippedReason;
}

export type SkippedReason = 'destination_off' | 'destination_deleted' | 'plan_required';

export type SettledDelivery = SucceededDelivery | FailedDelivery | SkippedDelivery;

export interface EndedAttempt {
  readonly made: AttemptMade;
  readonly endedAt: Date;
  /** The full schedule; whether the delivery may use it is decided by its trigger. */
  readonly delaysMs: readonly number[];
}

/** Records one attempt: the delivery is settled, or waits for its next one. */
export function afterAttempt(
  delivery: PendingDelivery,
  { made, endedAt, delaysMs }: EndedAttempt,
): PendingDelivery | SucceededDelivery | FailedDelivery {
  const { trigger, roundStart } = delivery;
  const attemptCount = delivery.attemptCount + 1;
  if (made.kind === 'succeeded') {
    return { state: 'succeeded', trigger, attemptCount, roundStart, settledAt: endedAt };
  }
  const next = nextAttemptAt({
    attemptsInRound: attemptCount - roundStart,
    endedAt,
    delaysMs: retryDelaysFor(trigger, delaysMs),
  });
  return next === null
    ? { state: 'failed', trigger, attemptCount, roundStart, settledAt: endedAt }
    : { state: 'pending', trigger, attemptCount, roundStart, nextAttemptAt: next };
}

/** Nothing is sent to a destination that is off; the change is kept for a recovery. */
export function skip(delivery: PendingDelivery, reason: SkippedReason, at: Date): SkippedDelivery {
  const { trigger, attemptCount, roundStart } = delivery;
  return { state: 'skipped', trigger, attemptCount, roundStart, settledAt: at, skippedReason: reason };
}

/** One more attempt, because a person asked; attempts go on being numbered where they stopped. */
export function resend(delivery: SettledDelivery, at: Date): PendingDelivery {
  return newRound(delivery, 'resend', at);
}

/** A full round for what a destination missed; a delivery that succeeded is not sent again. */
export function recover(delivery: FailedDelivery | SkippedDelivery, at: Date): PendingDelivery {
  return newRound(delivery, 'recover', at);
}

function newRound({ attemptCount }: Numbered, trigger: Trigger, at: Date): PendingDelivery {
  return { state: 'pending', trigger, attemptCount, roundStart: attemptCount, nextAttemptAt: at };
}
