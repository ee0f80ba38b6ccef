import type { ChangeId, DestinationId } from '../ids.js';
import { ATTEMPT_ERRORS, type AttemptError, blameFor } from './attempt-errors.js';
import type { CountedBlame, DeliveryState, Trigger } from './delivery-state.js';

/** `none`: no status line arrived. */
export const STATUS_CLASSES = ['3xx', '4xx', '5xx', 'none'] as const;

export type StatusClass = (typeof STATUS_CLASSES)[number];

/** Filters by the newest failed attempt of a delivery. */
export interface FailureFilter {
  readonly error?: AttemptError | undefined;
  readonly statusClass?: StatusClass | undefined;
  readonly blame?: CountedBlame | undefined;
}

/** Selects deliveries of an account that match all given fields. */
export interface DeliveryFilter extends FailureFilter {
  readonly destinationId?: DestinationId | undefined;
  readonly state?: DeliveryState | undefined;
  readonly changeId?: ChangeId | undefined;
  readonly trigger?: Trigger | undefined;
  /** Created at this time or later. */
  readonly since?: Date | undefined;
  /** Created before this time. */
  readonly until?: Date | undefined;
}

/** Status classes of each error. All other errors have no status. */
const CLASSES_OF: Partial<Record<AttemptError, readonly string[]>> = {
  redirected: ['3xx'],
  // All statuses except success and redirects, including 304.
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
 * status class, as stored in `deliveries.last_failure`: `timed_out`, `unexpected_status:5xx`. So one indexed column
 * serves three filters with a few range scans.
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
