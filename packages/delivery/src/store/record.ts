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
  /** Counted from 1 across all rounds. */
  readonly number: number;
  readonly outcome: 'succeeded' | 'failed';
  /** Null for a success. */
  readonly blame: CountedBlame | null;
  /** Null if no status line arrived. */
  readonly statusCode: number | null;
  /** For example `timed_out`. Null on success. */
  readonly error: string | null;
  /** A human-readable sentence. Null on success. */
  readonly reason: string | null;
  /** At most 4 KiB. */
  readonly responseExcerpt: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

export interface DeliveryReference {
  readonly id: DeliveryId;
  /** Omitted for operators, who may name a delivery of any account. */
  readonly accountId?: AccountId;
  /** Default: the operator. */
  readonly by?: Actor;
}

export const DELIVERY_COLUMNS = `d.id, d.account_id AS "accountId", d.destination_id AS "destinationId", d.change_id AS "changeId",
  d.state, d.trigger, d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
  d.created_at AS "createdAt", d.settled_at AS "settledAt", d.skipped_reason AS "skippedReason"`;

export const ATTEMPT_COLUMNS = `a.id, a.number, a.outcome, a.blame, a.status_code AS "statusCode", a.error, a.reason,
  a.response_excerpt AS "responseExcerpt", a.started_at AS "startedAt", a.ended_at AS "endedAt"`;
