import type { ChangeId, DestinationId } from '../ids.js';
import { ATTEMPT_ERRORS, type AttemptError, blameFor, type CountedBlame } from './attempt-errors.js';

/**
 *     pending ── attempt succeeded ──────────────► succeeded ─┐
 *        │ ▲ └── attempt failed, round exhausted ─► failed ────┤
 *        │ └──── attempt failed, retries left                 │ resend: any of them, one attempt
 *        └────── destination off, deleted, no plan ► skipped ─┤ recover: failed or skipped, a full round
 *     pending ◄───────────────────────────────────────────────┘
 *
 * A `not_an_attempt` result leaves the delivery pending.
 */

export const DELIVERY_STATES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export type Trigger = 'change' | 'test' | 'resend' | 'recover';

interface TriggerFacts {
  /** If false, the delivery has a single attempt. */
  readonly retried: boolean;
  /** True if attempts count toward the destination's consecutive failures. */
  readonly counted: boolean;
}

export const TRIGGERS: Readonly<Record<Trigger, TriggerFacts>> = {
  change: { retried: true, counted: true },
  recover: { retried: true, counted: true },
  test: { retried: false, counted: false },
  resend: { retried: false, counted: false },
};

/** Returns the delays in milliseconds. The list is empty if there are no retries. */
export function retryDelaysFor(trigger: Trigger, delaysMs: readonly number[]): readonly number[] {
  return TRIGGERS[trigger].retried ? delaysMs : [];
}

/** The reason stored when a customer disables a destination. */
export const SWITCHED_OFF_BY_REQUEST = 'Switched off by request';

const SKIPPED_BECAUSE: Readonly<Record<string, string>> = {
  destination_off: 'The channel was off.',
  destination_deleted: 'The channel was deleted.',
  plan_required: 'The plan did not include channels of this kind.',
};

export function whySkipped(reason: string | null): string {
  return SKIPPED_BECAUSE[reason ?? ''] ?? 'The delivery was not sent.';
}

/** `none` means that no status line arrived. */
export const STATUS_CLASSES = ['3xx', '4xx', '5xx', 'none'] as const;

type StatusClass = (typeof STATUS_CLASSES)[number];

interface FailureFilter {
  readonly error?: AttemptError | undefined;
  readonly statusClass?: StatusClass | undefined;
  readonly blame?: CountedBlame | undefined;
}

/** A delivery must match every field that is set. */
export interface DeliveryFilter extends FailureFilter {
  readonly destinationId?: DestinationId | undefined;
  readonly state?: DeliveryState | undefined;
  readonly changeId?: ChangeId | undefined;
  readonly trigger?: Trigger | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

const CLASSES_OF: Partial<Record<AttemptError, readonly string[]>> = {
  redirected: ['3xx'],
  // A status of 304 is in class 3xx, but is not a redirect.
  unexpected_status: ['0xx', '1xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'],
};

const FAILURE_KINDS = ATTEMPT_ERRORS.flatMap((error) =>
  (CLASSES_OF[error] ?? ['none']).map((statusClass) => ({
    error,
    statusClass,
    blame: blameFor(error),
    kind: statusClass === 'none' ? error : `${error}:${statusClass}`,
  })),
);

/**
 * Returns kinds such as `unexpected_status:5xx`, or undefined for an empty filter. All filters share one index on
 * `deliveries.last_failure`.
 */
export function failureKinds({ error, statusClass, blame }: FailureFilter): readonly string[] | undefined {
  if (error === undefined && statusClass === undefined && blame === undefined) return undefined;
  return FAILURE_KINDS.filter(
    (failure) =>
      (error === undefined || failure.error === error) &&
      (statusClass === undefined || failure.statusClass === statusClass) &&
      (blame === undefined || failure.blame === blame),
  ).map(({ kind }) => kind);
}
