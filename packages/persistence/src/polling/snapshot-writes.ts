import type { CatalogueState } from '@artist-watch/domain/catalogue';
import type { JsonValue } from '@artist-watch/domain/change/difference';
import type { ArtistId, SnapshotId } from '@artist-watch/domain/ids';
import { type BrokenLink, encodeSnapshot, type SnapshotLink } from '@artist-watch/domain/snapshot/snapshot-chain';
import type pg from 'pg';
import { readNewestChains } from '../snapshot/chains.js';

export interface SnapshotWrite {
  readonly id: SnapshotId;
  readonly artistId: ArtistId;
  readonly observedAt: Date;
  readonly content:
    | { readonly kind: 'catalogue'; readonly catalogue: CatalogueState }
    | { readonly kind: 'artist_gone' }
    | { readonly kind: 'incomplete'; readonly reason: string };
}

/** What was kept of an artist that could not be followed. */
export interface BrokenChain extends BrokenLink {
  readonly artistId: ArtistId;
}

/** Keeps snapshots of locked artists: of a catalogue what changed against the last one that was kept, where that is less. */
export async function writeSnapshots(
  client: pg.PoolClient,
  writes: readonly SnapshotWrite[],
): Promise<readonly BrokenChain[]> {
  if (writes.length === 0) return [];
  const withCatalogue = writes.filter(({ content }) => content.kind === 'catalogue');
  const chains =
    withCatalogue.length === 0
      ? new Map<ArtistId, SnapshotLink[]>()
      : await readNewestChains(
          client,
          withCatalogue.map(({ artistId }) => artistId),
        );
  const brokenChains: BrokenChain[] = [];
  const rows = writes.map((write) => {
    const { broken, ...row } = rowOf(write, chains.get(write.artistId) ?? []);
    if (broken !== null) brokenChains.push({ artistId: write.artistId, ...broken });
    return row;
  });
  await insertSnapshots(client, rows);
  return brokenChains;
}

interface SnapshotRow {
  readonly id: SnapshotId;
  readonly artistId: ArtistId;
  readonly observedAt: Date;
  readonly incompleteReason: string | null;
  readonly content: JsonValue;
  readonly baseId: string | null;
  readonly digest: Buffer | null;
}

function rowOf(
  { id, artistId, observedAt, content }: SnapshotWrite,
  chain: readonly SnapshotLink[],
): SnapshotRow & { readonly broken: BrokenLink | null } {
  const row = { id, artistId, observedAt, incompleteReason: null, baseId: null, digest: null, broken: null };
  switch (content.kind) {
    case 'catalogue':
      return { ...row, ...encodeSnapshot(content.catalogue, observedAt, chain) };
    case 'artist_gone':
      return { ...row, content: { artistGone: true } };
    case 'incomplete':
      return { ...row, incompleteReason: content.reason, content: null };
  }
}

async function insertSnapshots(client: pg.PoolClient, rows: readonly SnapshotRow[]): Promise<void> {
  const column = <Value>(value: (row: SnapshotRow) => Value): Value[] => rows.map(value);
  await client.query(
    `INSERT INTO snapshots (id, artist_id, observed_at, complete, incomplete_reason, content, base_id, digest)
     SELECT w.id, w.artist_id, w.observed_at, w.incomplete_reason IS NULL, w.incomplete_reason, w.content, w.base_id,
            w.digest
       FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::jsonb[], $6::text[], $7::bytea[])
              AS w (id, artist_id, observed_at, incomplete_reason, content, base_id, digest)`,
    [
      column((row) => row.id),
      column((row) => row.artistId),
      column((row) => row.observedAt),
      column((row) => row.incompleteReason),
      column((row) => (row.content === null ? null : JSON.stringify(row.content))),
      column((row) => row.baseId),
      column((row) => row.digest),
    ],
  );
}
