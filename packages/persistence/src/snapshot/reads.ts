import type { CatalogueState } from '@artist-watch/domain/catalogue';
import type { ArtistId, SnapshotId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { type BrokenLink, rebuild } from '@artist-watch/domain/snapshot/snapshot-chain';
import type pg from 'pg';
import { readChainOf } from './chains.js';

export interface SnapshotRecord {
  readonly id: SnapshotId;
  readonly artistId: ArtistId;
  readonly observedAt: Date;
  readonly complete: boolean;
  readonly incompleteReason: string | null;
  /** What was read, with the order of its lists by id. */
  readonly catalogue: CatalogueState | null;
  /** Why there is no catalogue although there was one. */
  readonly broken: BrokenLink | null;
  /** As it is stored, where it is not part of a chain: an artist that is gone, and what older versions kept. */
  readonly content: unknown;
}

/** @throws NotFound */
export async function showSnapshot(pool: pg.Pool, id: SnapshotId): Promise<SnapshotRecord> {
  const { rows } = await pool.query<Omit<SnapshotRecord, 'catalogue' | 'broken'> & { isLink: boolean }>(
    `SELECT id, artist_id AS "artistId", observed_at AS "observedAt", complete,
            incomplete_reason AS "incompleteReason", digest IS NOT NULL AS "isLink",
            CASE WHEN digest IS NULL THEN content END AS content
       FROM snapshots WHERE id = $1`,
    [id],
  );
  if (!rows[0]) throw new NotFound('snapshot');
  const { isLink, ...found } = rows[0];
  if (!isLink) return { ...found, catalogue: null, broken: null };
  const chain = await readChainOf(pool, id);
  if (chain.length === 0) throw new NotFound('snapshot');
  const rebuilt = rebuild(chain);
  return rebuilt.kind === 'whole'
    ? { ...found, catalogue: rebuilt.catalogue, broken: null }
    : { ...found, catalogue: null, broken: rebuilt.broken };
}
