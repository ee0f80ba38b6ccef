import { gunzipSync, gzipSync } from 'node:zlib';
import type { CatalogueState } from '@artist-watch/domain/catalogue';
import { readCatalogue } from '@artist-watch/domain/detection/baseline';
import { JsonReader } from '@artist-watch/domain/detection/json-reader';
import type { ArtistId, SnapshotId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import { columnsOf, writeRows } from './database/sql-text.js';

export interface SnapshotWrite {
  readonly id: SnapshotId;
  readonly artistId: ArtistId;
  readonly observedAt: Date;
  readonly content:
    | { readonly kind: 'catalogue'; readonly catalogue: CatalogueState }
    /** The artist was missing, or had been merged into another artist. */
    | { readonly kind: 'no_catalogue' }
    | { readonly kind: 'incomplete'; readonly reason: string };
}

/** Each snapshot contains the whole catalogue, compressed (docs/adr/0014). */
export async function writeSnapshots(client: pg.PoolClient, writes: readonly SnapshotWrite[]): Promise<void> {
  const rows = writes.map(({ content, ...write }) => ({
    ...write,
    incompleteReason: content.kind === 'incomplete' ? content.reason : null,
    catalogue: content.kind === 'catalogue' ? gzipSync(JSON.stringify(content.catalogue)) : null,
  }));
  await writeRows(
    client,
    `INSERT INTO snapshots (id, artist_id, observed_at, complete, incomplete_reason, catalogue)
     SELECT w.id, w.artist_id, w.observed_at, w.incomplete_reason IS NULL, w.incomplete_reason, w.catalogue
       FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::bytea[])
              AS w (id, artist_id, observed_at, incomplete_reason, catalogue)`,
    columnsOf(rows, 'id', 'artistId', 'observedAt', 'incompleteReason', 'catalogue'),
  );
}

export interface SnapshotRecord {
  readonly id: SnapshotId;
  readonly artistId: ArtistId;
  readonly observedAt: Date;
  readonly complete: boolean;
  readonly incompleteReason: string | null;
  readonly catalogue: CatalogueState | null;
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
  return { ...found, catalogue: found.catalogue && decompress(found.catalogue) };
}

/** gzip contains a checksum, so altered bytes cause an error. */
function decompress(catalogue: Buffer): CatalogueState {
  return readCatalogue(new JsonReader(JSON.parse(gunzipSync(catalogue).toString()), 'catalogue'));
}
