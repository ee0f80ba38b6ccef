import type { DeliveryItem } from '@artist-watch/contracts/api/delivery';
import type { Shown } from '@artist-watch/contracts/api/shown';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { DestinationRecord } from '../destination/record.js';

/** A destination, and the delivery of a change to it. */
export interface ChangeNotification extends Pick<DestinationRecord, 'name' | 'kind' | 'url' | 'createdAt' | 'rules'> {
  readonly destinationId: DestinationId;
  readonly isDeleted: boolean;
  readonly isPausedByPlan: boolean;
  /** Null if there is no delivery of the change to the destination. */
  readonly delivery: DeliveryOfChange | null;
}

/** The delivery of a change to one destination, with its newest failure. */
export interface DeliveryOfChange
  extends Pick<Shown<DeliveryItem>, 'state' | 'attemptCount' | 'nextAttemptAt' | 'settledAt' | 'skippedReason'> {
  readonly id: DeliveryId;
  /** A sentence that explains the failure of the newest attempt; null if the attempt succeeded or there is none. */
  readonly failure: string | null;
}

type Row = Omit<ChangeNotification, 'delivery'> &
  Omit<DeliveryOfChange, 'id'> & { readonly deliveryId: DeliveryId | null };

/** Returns the account's destinations, oldest first, including deleted destinations with a delivery of the change. */
export async function readChangeNotifications(
  pool: pg.Pool,
  { accountId, changeId }: { readonly accountId: AccountId; readonly changeId: ChangeId },
): Promise<ChangeNotification[]> {
  const { rows } = await pool.query<Row>({
    name: 'read-change-notifications',
    text: `SELECT t.id AS "destinationId", t.name, t.kind, t.url, t.created_at AS "createdAt",
            t.deleted_at IS NOT NULL AS "isDeleted", t.plan_required AS "isPausedByPlan",
            json_build_object('minSeverity', t.min_severity, 'changeTypes', t.change_types, 'artistIds', t.artist_ids) AS rules,
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
  const { deliveryId: id, state, attemptCount, nextAttemptAt, settledAt, skippedReason, failure, ...destination } = row;
  const delivery = id && { id, state, attemptCount, nextAttemptAt, settledAt, skippedReason, failure };
  return { ...destination, delivery };
}
