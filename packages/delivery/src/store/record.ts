import type { Actor } from '@artist-watch/domain/account/actor';
import type { ChargedBlame, DeliveryState, Trigger } from '@artist-watch/domain/delivery/delivery-state';
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
  readonly blame: ChargedBlame | null;
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

export interface DeliveryRow {
  readonly id: DeliveryId;
  readonly account_id: AccountId;
  readonly destination_id: DestinationId;
  readonly change_id: ChangeId | null;
  readonly state: DeliveryState;
  readonly trigger: Trigger;
  readonly attempt_count: number;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  readonly skipped_reason: string | null;
}

export const DELIVERY_COLUMNS = `id, account_id, destination_id, change_id, state, trigger, attempt_count,
  next_attempt_at, created_at, settled_at, skipped_reason`;

export function toDeliveryRecord(row: DeliveryRow): DeliveryRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    destinationId: row.destination_id,
    changeId: row.change_id,
    state: row.state,
    trigger: row.trigger,
    attemptCount: row.attempt_count,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    skippedReason: row.skipped_reason,
  };
}

/** As JSON of the server's making, whose instants are milliseconds since 1970. */
export interface AttemptRow {
  readonly id: AttemptId;
  readonly number: number;
  readonly outcome: AttemptRecord['outcome'];
  readonly blame: ChargedBlame | null;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly reason: string | null;
  readonly response_excerpt: string | null;
  readonly started_at_ms: number;
  readonly ended_at_ms: number;
}

export function toAttemptRecord(row: AttemptRow): AttemptRecord {
  return {
    id: row.id,
    number: row.number,
    outcome: row.outcome,
    blame: row.blame,
    statusCode: row.status_code,
    error: row.error,
    reason: row.reason,
    responseExcerpt: row.response_excerpt,
    startedAt: new Date(row.started_at_ms),
    endedAt: new Date(row.ended_at_ms),
  };
}
