import type { ChangeId, DestinationId } from '../ids.js';
import { ATTEMPT_ERRORS, type AttemptError, blameFor } from './attempt-errors.js';
import type { CountedBlame, DeliveryState, Trigger } from './delivery-state.js';

/** Status classes of failed attempts. `none` means that no status line arrived. */
export const STATUS_CLASSES = ['3xx', '4xx', '5xx', 'none'] as const;

export type StatusClass = (typeof STATUS_CLASSES)[number];

/** Selects deliveries by their newest failed attempt. */
export interface FailureFilter {
  readonly error?: AttemptError | undefined;
  readonly statusClass?: StatusClass | undefined;
  readonly blame?: CountedBlame | undefined;
}

/** Selects deliveries of an account. A delivery must match all given fields. */
export interface DeliveryFilter extends FailureFilter {
  readonly destinationId?: DestinationId | undefined;
  readonly state?: DeliveryState | undefined;
  readonly changeId?: ChangeId | undefined;
  readonly trigger?: Trigger | undefined;
  /** Selects deliveries created at this time or later. */
  readonly since?: Date | undefined;
  /** Selects deliveries created before this time. */
  readonly until?: Date | undefined;
}

/** The possible status classes of each error. Errors that are not listed have no status. */
const CLASSES_OF: Partial<Record<AttemptError, readonly string[]>> = {
  redirected: ['3xx'],
  // These classes cover every status except success and redirects. 3xx is included because of 304.
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
 * Returns the failure kinds that match the filter, or undefined for an empty filter. A kind is the error token with its
 * status class, such as `timed_out` or `unexpected_status:5xx`. It is stored in `deliveries.last_failure`, so that one
 * indexed column serves all three filters with a few range scans.
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
