import type { ArtistId } from '@artist-watch/domain/ids';
import { MOST_LINKS, type SnapshotLink } from '@artist-watch/domain/snapshot/snapshot-chain';
import type pg from 'pg';

/** Of each artist the last catalogue that was kept, back to the whole one that it builds on; newest first. */
export function readNewestChains(
  client: pg.Pool | pg.PoolClient,
  artistIds: readonly ArtistId[],
): Promise<Map<ArtistId, SnapshotLink[]>> {
  return readChains(
    client,
    `SELECT newest.* FROM unnest($1::text[]) AS artist (id)
      CROSS JOIN LATERAL (SELECT * FROM snapshots s WHERE s.artist_id = artist.id AND s.digest IS NOT NULL
                           ORDER BY s.observed_at DESC, s.id DESC LIMIT 1) AS newest`,
    artistIds,
  );
}

/** One catalogue that was kept, back to the whole one that it builds on; newest first, empty where there is none. */
export async function readChainOf(pool: pg.Pool, snapshotId: string): Promise<SnapshotLink[]> {
  const chains = await readChains(pool, 'SELECT * FROM snapshots WHERE id = ANY($1) AND digest IS NOT NULL', [
    snapshotId,
  ]);
  return [...chains.values()][0] ?? [];
}

/** What does not end, because it was tampered with, ends here. */
const TOO_LONG = 2 * MOST_LINKS;

/** @param tips selects the newest link of each chain, given `$1`. */
async function readChains(
  client: pg.Pool | pg.PoolClient,
  tips: string,
  parameter: readonly string[],
): Promise<Map<ArtistId, SnapshotLink[]>> {
  const { rows } = await client.query<SnapshotLink & { readonly artistId: ArtistId }>(
    `WITH RECURSIVE chain AS (
       SELECT tip.artist_id, tip.id, tip.observed_at, tip.base_id, tip.digest, tip.content, 1 AS length
         FROM (${tips}) AS tip
       UNION ALL
       SELECT s.artist_id, s.id, s.observed_at, s.base_id, s.digest, s.content, c.length + 1
         FROM chain c JOIN snapshots s ON s.id = c.base_id AND s.artist_id = c.artist_id AND s.digest IS NOT NULL
        WHERE c.length < ${TOO_LONG})
     SELECT artist_id AS "artistId", id, observed_at AS "observedAt", base_id AS "baseId", digest, content
       FROM chain ORDER BY artist_id, length`,
    [parameter],
  );
  const chains = new Map<ArtistId, SnapshotLink[]>();
  for (const { artistId, ...link } of rows) {
    const chain = chains.get(artistId);
    if (chain) chain.push(link);
    else chains.set(artistId, [link]);
  }
  return chains;
}
