import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import type { ChangeRecord } from '../change/change-reads.js';

export interface HeldChange
  extends Pick<ChangeRecord, 'id' | 'artistId' | 'type' | 'entityType' | 'entityId' | 'entityName' | 'detectedAt'> {
  readonly artistPlatformId: string;
  readonly artistName: string;
  readonly observations: number;
  readonly lastObservedAt: Date;
  /** Null for changes that an earlier version put on hold. */
  readonly heldAt: Date | null;
  readonly heldBy: 'artist' | 'fleet' | null;
}

export type HeldScope =
  | { readonly kind: 'change'; readonly changeId: ChangeId }
  | { readonly kind: 'artist'; readonly artistId: ArtistId }
  | { readonly kind: 'all' };

/**
 * Sorted by artist, then oldest first.
 * @param after the last change of the previous page.
 */
export async function listHeldChanges(
  pool: pg.Pool,
  scope: HeldScope,
  page: { readonly after?: HeldChange; readonly limit: number },
): Promise<HeldChange[]> {
  const { condition, id } = scopeCondition(scope);
  const { rows } = await pool.query<HeldChange>(
    `SELECT c.id, c.artist_id AS "artistId", a.platform_id AS "artistPlatformId", a.name AS "artistName", c.type,
            c.entity_type AS "entityType", c.entity_id AS "entityId", c.entity_name AS "entityName",
            c.detected_at AS "detectedAt", jsonb_array_length(c.observations) AS observations,
            (c.observations -> -1 ->> 'observedAt')::timestamptz AS "lastObservedAt",
            (hold ->> 'at')::timestamptz AS "heldAt", hold ->> 'by' AS "heldBy"
       FROM changes c
       JOIN artists a ON a.id = c.artist_id
       LEFT JOIN LATERAL (SELECT note AS hold FROM jsonb_array_elements(c.notes) note
                           WHERE note ->> 'kind' = 'held' LIMIT 1) held ON true
      WHERE c.state = 'held' AND ${condition}
        AND ($2::text IS NULL OR (c.artist_id, c.id) > ($2, $3))
      ORDER BY c.artist_id, c.id
      LIMIT $4`,
    [id, page.after?.artistId ?? null, page.after?.id ?? null, page.limit],
  );
  return rows;
}

/** @throws NotFound for an unknown artist or change, Conflict for a change that is not on hold. */
export async function requireScope(pool: pg.Pool, scope: HeldScope): Promise<void> {
  switch (scope.kind) {
    case 'all':
      return;
    case 'artist': {
      const { rowCount } = await pool.query('SELECT FROM artists WHERE id = $1', [scope.artistId]);
      if (rowCount === 0) throw new NotFound('artist');
      return;
    }
    case 'change': {
      const { rows } = await pool.query<{ state: string }>('SELECT state FROM changes WHERE id = $1', [scope.changeId]);
      if (!rows[0]) throw new NotFound('change');
      if (rows[0].state !== 'held') throw new Conflict(`This change is not on hold. Its state is ${rows[0].state}.`);
      return;
    }
  }
}

export function scopeCondition(scope: HeldScope): { readonly condition: string; readonly id: string | null } {
  switch (scope.kind) {
    case 'change':
      return { condition: 'c.id = $1', id: scope.changeId };
    case 'artist':
      return { condition: 'c.artist_id = $1', id: scope.artistId };
    case 'all':
      return { condition: '$1::text IS NULL', id: null };
  }
}
