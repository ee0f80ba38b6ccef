import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';

export interface AvailabilityChange {
  readonly id: ChangeId;
  readonly isRemoval: boolean;
  /** When the release was first found missing, or first found again. */
  readonly detectedAt: Date;
}

const SHOWN = 20;

/** Newest first. */
export async function readAvailability(
  pool: pg.Pool,
  reference: {
    readonly accountId: AccountId;
    readonly artistId: string;
    readonly entityId: string;
    readonly oldest: Date;
  },
): Promise<AvailabilityChange[]> {
  const { rows } = await pool.query<AvailabilityChange>({
    name: 'read-availability',
    text: `SELECT c.id, c.type = 'release_removed' AS "isRemoval", c.detected_at AS "detectedAt"
             FROM changes c
            WHERE c.entity_id = $2 AND c.artist_id = $3 AND c.confirmed_at >= $4
              AND c.type IN ('release_removed', 'release_restored')
              AND EXISTS (SELECT FROM feed_items f
                           WHERE f.account_id = $1 AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id)
            ORDER BY c.detected_at DESC LIMIT ${SHOWN}`,
    values: [reference.accountId, reference.entityId, reference.artistId, reference.oldest],
  });
  return rows;
}
