import type { ChangeId, DestinationId } from '../ids.js';
import { ATTEMPT_ERRORS, type AttemptError, blameFor } from './attempt-errors.js';
import type { CountedBlame, DeliveryState, Trigger } from './delivery-state.js';

/** `none`: no status line came. */
export const STATUS_CLASSES = ['3xx', '4xx', '5xx', 'none'] as const;

export type StatusClass = (typeof STATUS_CLASSES)[number];

/** How a delivery's newest failed attempt failed. */
export interface FailureFilter {
  readonly error?: AttemptError | undefined;
  readonly statusClass?: StatusClass | undefined;
  readonly blame?: CountedBlame | undefined;
}

/** Which of an account's deliveries are meant: those that pass everything that is given. */
export interface DeliveryFilter extends FailureFilter {
  readonly destinationId?: DestinationId | undefined;
  readonly state?: DeliveryState | undefined;
  readonly changeId?: ChangeId | undefined;
  readonly trigger?: Trigger | undefined;
  /** Made at this instant or later. */
  readonly since?: Date | undefined;
  /** Made before this instant. */
  readonly until?: Date | undefined;
}

/** Classes of the statuses that each of these is about; the others have no status. */
const CLASSES_OF: Partial<Record<AttemptError, readonly string[]>> = {
  redirected: ['3xx'],
  // All that a status line can say but success and redirection.
  unexpected_status: ['0xx', '1xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'],
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
 * A failure's kind is its token with the class of its status, as the settlement writes it to `deliveries.last_failure`:
 * `timed_out`, `unexpected_status:5xx`. One column so answers to three filters, by a few ranges of one index.
 *
 * @returns the kinds that pass the filter; undefined for an empty filter, which every delivery passes.
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
