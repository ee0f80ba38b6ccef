import { gunzipSync } from 'node:zlib';
import type { CatalogueState } from '@artist-watch/domain/catalogue';
import { readCatalogue } from '@artist-watch/domain/detection/catalogue-record';
import { JsonReader } from '@artist-watch/domain/detection/json-reading';
import type { ArtistId, SnapshotId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';

export interface SnapshotRecord {
  readonly id: SnapshotId;
  readonly artistId: ArtistId;
  readonly observedAt: Date;
  readonly complete: boolean;
  readonly incompleteReason: string | null;
  /** What was read; null where the reading was not complete, the artist was gone, or an older version kept it. */
  readonly catalogue: CatalogueState | null;
  /** As it is stored, of what older versions kept. */
  readonly content: unknown;
}

/** @throws NotFound */
export async function showSnapshot(pool: pg.Pool, id: SnapshotId): Promise<SnapshotRecord> {
  const { rows } = await pool.query<Omit<SnapshotRecord, 'catalogue'> & { catalogue: Buffer | null }>(
    `SELECT id, artist_id AS "artistId", observed_at AS "observedAt", complete,
            incomplete_reason AS "incompleteReason", catalogue, content
       FROM snapshots WHERE id = $1`,
    [id],
  );
  const [found] = rows;
  if (!found) throw new NotFound('snapshot');
  return { ...found, catalogue: found.catalogue && decompressed(found.catalogue) };
}

/** gzip carries a checksum: what was altered is an error, never a catalogue that nobody saw. */
function decompressed(catalogue: Buffer): CatalogueState {
  return readCatalogue(new JsonReader(JSON.parse(gunzipSync(catalogue).toString()), 'catalogue'));
}
