import type { Actor } from '@artist-watch/domain/account/actor';
import type { CountedBlame, DeliveryState, Trigger } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, AttemptId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';

export interface DeliveryRecord {
  readonly id: DeliveryId;
  readonly accountId: AccountId;
  readonly destinationId: DestinationId;
  /** Null for a test. */
  readonly changeId: ChangeId | null;
  readonly state: DeliveryState;
  readonly trigger: Trigger;
  readonly attemptCount: number;
  /** Null unless pending. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** Null while pending. */
  readonly settledAt: Date | null;
  readonly skippedReason: string | null;
}

export interface AttemptRecord {
  readonly id: AttemptId;
  /** From 1, over all rounds. */
  readonly number: number;
  readonly outcome: 'succeeded' | 'failed';
  /** Null when it succeeded. */
  readonly blame: CountedBlame | null;
  /** Null when no status line arrived. */
  readonly statusCode: number | null;
  /** A token and a sentence; null when it succeeded. */
  readonly error: string | null;
  readonly reason: string | null;
  /** At most 4 KiB of what the receiver said. */
  readonly responseExcerpt: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** A delivery by its id: of this account, or, for an operator, of whichever account has it. */
export interface DeliveryReference {
  readonly id: DeliveryId;
  readonly accountId?: AccountId;
  /** Who asks for what is done to it, for the audit: the operator unless given. */
  readonly by?: Actor;
}

/** SQL of a DeliveryRecord of a delivery `d`. */
export const DELIVERY_COLUMNS = `d.id, d.account_id AS "accountId", d.destination_id AS "destinationId", d.change_id AS "changeId",
  d.state, d.trigger, d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
  d.created_at AS "createdAt", d.settled_at AS "settledAt", d.skipped_reason AS "skippedReason"`;

/** SQL of an AttemptRecord of an attempt `a`. */
export const ATTEMPT_COLUMNS = `a.id, a.number, a.outcome, a.blame, a.status_code AS "statusCode", a.error, a.reason,
  a.response_excerpt AS "responseExcerpt", a.started_at AS "startedAt", a.ended_at AS "endedAt"`;
