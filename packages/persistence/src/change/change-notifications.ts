import type { DeliveryItem } from '@artist-watch/contracts/api/delivery';
import type { Shown } from '@artist-watch/contracts/api/fields';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { allowsArtist } from '../account/groups.js';
import { type DestinationRecord, rulesJson } from '../destination/reads.js';

export interface ChangeNotification extends Pick<DestinationRecord, 'name' | 'kind' | 'url' | 'createdAt' | 'rules'> {
  readonly destinationId: DestinationId;
  readonly isDeleted: boolean;
  readonly isPausedByPlan: boolean;
  readonly allowsArtist: boolean;
  readonly delivery: DeliveryOfChange | null;
}

export interface DeliveryOfChange
  extends Pick<Shown<DeliveryItem>, 'state' | 'attemptCount' | 'nextAttemptAt' | 'settledAt' | 'skippedReason'> {
  readonly id: DeliveryId;
  readonly failure: string | null;
}

type Row = Omit<ChangeNotification, 'delivery'> &
  Omit<DeliveryOfChange, 'id'> & { readonly deliveryId: DeliveryId | null };

/** Returns destinations, oldest first. Includes deleted destinations that have a delivery for the change. */
export async function readChangeNotifications(
  pool: pg.Pool,
  { accountId, changeId }: { readonly accountId: AccountId; readonly changeId: ChangeId },
): Promise<ChangeNotification[]> {
  const { rows } = await pool.query<Row>({
    name: 'read-change-notifications',
    text: `SELECT t.id AS "destinationId", t.name, t.kind, t.url, t.created_at AS "createdAt",
            t.deleted_at IS NOT NULL AS "isDeleted", t.plan_required AS "isPausedByPlan",
            ${rulesJson('t.')} AS rules,
            ${allowsArtist('(SELECT artist_id FROM changes WHERE id = $2)', 't.account_id', 't.artist_ids', 't.group_ids')} AS "allowsArtist",
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

export interface MemberNotification {
  readonly email: string;
  readonly state: 'pending' | 'sent' | 'refused' | 'discarded' | null;
  readonly settledAt: Date | null;
}

/** Emails about a critical change are queued within this time after the change is confirmed. */
const QUEUED_WITHIN = "interval '1 day'";

/** Returns members, oldest first. Digests do not count as emails about the change. */
export async function readMemberNotifications(
  pool: pg.Pool,
  { accountId, changeId }: { readonly accountId: AccountId; readonly changeId: ChangeId },
): Promise<MemberNotification[]> {
  const { rows } = await pool.query<MemberNotification>({
    name: 'read-member-notifications',
    text: `SELECT m.email, sent.state, sent.settled_at AS "settledAt"
             FROM members m
             LEFT JOIN LATERAL (
                    SELECT e.state, e.settled_at FROM mails e
                     WHERE e.member_id = m.id AND e.kind IN ('critical_changes', 'critical_summary')
                       AND e.created_at BETWEEN (SELECT confirmed_at FROM changes WHERE id = $2)
                                            AND (SELECT confirmed_at + ${QUEUED_WITHIN} FROM changes WHERE id = $2)
                       AND jsonb_path_exists(e.data, '$.**.changes[*] ? (@.id == $id)', jsonb_build_object('id', $2::text))
                     LIMIT 1) sent ON true
            WHERE m.account_id = $1
            ORDER BY m.id`,
    values: [accountId, changeId],
  });
  return rows;
}
