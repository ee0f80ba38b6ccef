import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import type { AccountId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { EVIDENCED_COLUMNS, type EvidencedRow, evidencedChange, joinHandling } from './confirmed-changes.js';
import { MAX_COMPARED_ROWS } from './feed-range.js';

/** If a release's label and UPC change together, someone else may have taken over the release. */
const TAKEOVER = `('label_changed', 'upc_changed')`;

/** Reads critical changes and suspected takeovers, newest first. Searches the newest 10,000 changes. */
export async function readAttention(
  pool: pg.Pool,
  { accountId, since, limit }: { readonly accountId: AccountId; readonly since: Date; readonly limit: number },
): Promise<EvidencedChange[]> {
  const { rows } = await pool.query<EvidencedRow>({
    name: 'read-attention',
    // Rows written by earlier versions have no severity.
    text: `
      SELECT ${EVIDENCED_COLUMNS}
        FROM (SELECT confirmed_at, change_id
                FROM (SELECT confirmed_at, change_id, severity FROM feed_items
                       WHERE account_id = $1 AND confirmed_at >= $2
                       ORDER BY confirmed_at DESC, change_id DESC LIMIT ${MAX_COMPARED_ROWS}) newest
               WHERE severity IS DISTINCT FROM 'info'
              OFFSET 0) f
       CROSS JOIN LATERAL (SELECT * FROM changes WHERE id = f.change_id OFFSET 0) c
        JOIN artists a ON a.id = c.artist_id
        ${joinHandling('$1')}
       WHERE coalesce(h.status, 'open') = 'open'
         AND (c.severity = 'critical'
              OR (c.type IN ${TAKEOVER}
                  AND EXISTS (SELECT FROM changes o
                               WHERE o.artist_id = c.artist_id AND o.confirmed_at = c.confirmed_at
                                 AND o.entity_id = c.entity_id AND o.type IN ${TAKEOVER} AND o.type <> c.type)))
       ORDER BY f.confirmed_at DESC, f.change_id DESC LIMIT $3`,
    values: [accountId, since, limit],
  });
  return rows.map(evidencedChange);
}
