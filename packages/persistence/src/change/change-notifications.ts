import type { Severity } from '@artist-watch/domain/change/change-types';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { DeliveryState } from '@artist-watch/domain/delivery/delivery-state';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';

/** What became of a change at one destination. */
export interface ChangeNotification {
  readonly destinationId: DestinationId;
  readonly name: string | null;
  readonly kind: DestinationKind;
  /** Of a channel without its secret part. */
  readonly url: string;
  readonly createdAt: Date;
  readonly isDeleted: boolean;
  readonly isPausedByPlan: boolean;
  /** As they are now. */
  readonly rules: DestinationRules;
  /** Null where the change was not sent there. */
  readonly delivery: {
    readonly id: DeliveryId;
    readonly state: DeliveryState;
    readonly attemptCount: number;
    readonly nextAttemptAt: Date | null;
    readonly settledAt: Date | null;
    readonly skippedReason: string | null;
    /** A sentence about the newest attempt; null when it succeeded, or when there was none. */
    readonly failure: string | null;
  } | null;
}

interface Row extends Omit<ChangeNotification, 'rules' | 'delivery'> {
  readonly minSeverity: Severity | null;
  readonly changeTypes: string[];
  readonly artistIds: string[];
  readonly deliveryId: DeliveryId | null;
  readonly state: DeliveryState;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly settledAt: Date | null;
  readonly skippedReason: string | null;
  readonly failure: string | null;
}

/** Every destination of the account, the oldest first; of deleted ones those that have a delivery of the change. */
export async function readChangeNotifications(
  pool: pg.Pool,
  { accountId, changeId }: { readonly accountId: AccountId; readonly changeId: ChangeId },
): Promise<ChangeNotification[]> {
  const { rows } = await pool.query<Row>({
    name: 'read-change-notifications',
    text: `SELECT t.id AS "destinationId", t.name, t.kind, t.url, t.created_at AS "createdAt",
            t.deleted_at IS NOT NULL AS "isDeleted", t.plan_required AS "isPausedByPlan",
            t.min_severity AS "minSeverity", t.change_types AS "changeTypes", t.artist_ids AS "artistIds",
            d.id AS "deliveryId", d.state, d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
            d.settled_at AS "settledAt", d.skipped_reason AS "skippedReason",
            (SELECT a.reason FROM attempts a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1) AS failure
       FROM destinations t LEFT JOIN deliveries d ON d.change_id = $2 AND d.destination_id = t.id
      WHERE t.account_id = $1 AND (t.deleted_at IS NULL OR d.id IS NOT NULL)
      ORDER BY t.id`,
    values: [accountId, changeId],
  });
  return rows.map(toNotification);
}

function toNotification(row: Row): ChangeNotification {
  const { destinationId, name, kind, url, createdAt, isDeleted, isPausedByPlan } = row;
  const { deliveryId: id, state, attemptCount, nextAttemptAt, settledAt, skippedReason, failure } = row;
  return {
    ...{ destinationId, name, kind, url, createdAt, isDeleted, isPausedByPlan },
    rules: { minSeverity: row.minSeverity, changeTypes: row.changeTypes, artistIds: row.artistIds },
    delivery: id && { id, state, attemptCount, nextAttemptAt, settledAt, skippedReason, failure },
  };
}
