import type { Actor } from '@artist-watch/domain/account/actor';
import { type ChangeStatus, STATUS_ACTIONS } from '@artist-watch/domain/change/change-types';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import { recordAudit } from '../account/audit.js';
import { storedAddress } from '../account/members.js';
import { withAccountLocked } from '../account/store.js';
import { type Database, queryRows } from '../database/database.js';

export interface HandlingUpdate {
  readonly accountId: AccountId;
  readonly ids: readonly ChangeId[];
  readonly oldest: Date;
  readonly status?: ChangeStatus | undefined;
  readonly note?: string | null | undefined;
  readonly assignee?: string | null | undefined;
  readonly by: Actor;
  readonly now: Date;
}

const UPDATE = `
  WITH wanted AS MATERIALIZED (
    SELECT c.id, c.confirmed_at, c.summary FROM changes c
     WHERE c.id = ANY($2::text[]) AND c.confirmed_at >= $3::timestamptz
       AND EXISTS (SELECT FROM feed_items f
                    WHERE f.account_id = $1::text AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id)
  ), stored AS (
    INSERT INTO change_handling AS h (account_id, confirmed_at, change_id, status, note, assignee_id, status_by, status_at)
    SELECT $1::text, w.confirmed_at, w.id, coalesce($4::change_status, 'open'), $6::text, $8::text,
           CASE WHEN $4::change_status <> 'open' THEN $9::text END, CASE WHEN $4::change_status <> 'open' THEN $10::timestamptz END
      FROM wanted w
     WHERE coalesce($4::change_status, 'open') <> 'open' OR $6::text IS NOT NULL OR $8::text IS NOT NULL
        OR EXISTS (SELECT FROM change_handling e
                    WHERE e.account_id = $1::text AND e.confirmed_at = w.confirmed_at AND e.change_id = w.id)
        ON CONFLICT (account_id, confirmed_at, change_id) DO UPDATE
       SET status = coalesce($4::change_status, h.status),
           note = CASE WHEN $5::boolean THEN $6::text ELSE h.note END,
           assignee_id = CASE WHEN $7::boolean THEN $8::text ELSE h.assignee_id END,
           status_by = CASE WHEN $4::change_status <> h.status THEN $9::text ELSE h.status_by END,
           status_at = CASE WHEN $4::change_status <> h.status THEN $10::timestamptz ELSE h.status_at END
     WHERE $4::change_status <> h.status OR ($5::boolean AND $6::text IS DISTINCT FROM h.note) OR ($7::boolean AND $8::text IS DISTINCT FROM h.assignee_id)
    RETURNING change_id
  )
  SELECT w.id, w.summary, s.change_id IS NOT NULL AS "isChanged"
    FROM wanted w LEFT JOIN stored s ON s.change_id = w.id`;

/**
 * Writes a single audit event for all the changes.
 * @returns the number of modified changes.
 * @throws NotFound if none of the changes are in the feed, Conflict if the assignee is not a member.
 */
export function updateHandling(database: Database, update: HandlingUpdate): Promise<number> {
  const { accountId, ids, oldest, status, assignee, by, now } = update;
  const note = update.note?.trim() || null;
  return withAccountLocked(database, accountId, async (transaction) => {
    let assigneeId: string | null = null;
    if (assignee) {
      const email = await storedAddress(transaction, assignee);
      const where = { accountId_email: { accountId, email } };
      const member = await transaction.member.findUnique({ where, select: { id: true } });
      if (!member) throw new Conflict('The assignee is not a member of this account.');
      assigneeId = member.id;
    }
    const rows = await queryRows<{ id: ChangeId; summary: string; isChanged: boolean }>(transaction, {
      text: UPDATE,
      values: [
        ...[accountId, ids, oldest.toISOString(), status ?? null, update.note !== undefined, note],
        ...[assignee !== undefined, assigneeId, by.name, now.toISOString()],
      ],
    });
    if (rows.length === 0) throw new NotFound('change');
    const [changed, ...others] = rows.filter(({ isChanged }) => isChanged);
    if (!changed) return 0;
    await recordAudit(transaction, {
      ...{ accountId, actor: by, now },
      action: status === undefined ? 'change.updated' : STATUS_ACTIONS[status],
      subject:
        others.length === 0
          ? { id: changed.id, name: changed.summary }
          : { id: null, name: `${others.length + 1} changes` },
      details: {
        ...(update.note !== undefined && { note: note === null ? 'removed' : 'set' }),
        ...(assignee !== undefined && { assignee: assignee || 'nobody' }),
      },
    });
    return others.length + 1;
  });
}
