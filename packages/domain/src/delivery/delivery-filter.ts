import type { ChangeId, DestinationId } from '../ids.js';
import { ATTEMPT_ERRORS, type AttemptError, blameFor } from './attempt-errors.js';
import type { CountedBlame, DeliveryState, Trigger } from './delivery-state.js';

/** `none` means that no status line arrived. */
export const STATUS_CLASSES = ['3xx', '4xx', '5xx', 'none'] as const;

export type StatusClass = (typeof STATUS_CLASSES)[number];

export interface FailureFilter {
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
