import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { anyLength } from '../database/sql-text.js';

export interface NamedArtist {
  readonly platformId: string;
  readonly name: string;
}

/**
 * Returns artist ids by platform id, and inserts unknown artists. All callers lock rows in the same order, to avoid
 * deadlocks.
 */
export async function ensureArtists(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  artists: readonly NamedArtist[],
  now: Date,
): Promise<ReadonlyMap<string, ArtistId>> {
  const nameById = new Map(artists.map(({ platformId, name }) => [platformId, name]));
  const platformIds = [...nameById.keys()].sort();

  const known = await readArtists(client, platform, platformIds);
  const outdated = platformIds.filter((id) => {
    const artist = known.get(id);
    return !artist || (artist.neverObserved && artist.name !== nameById.get(id));
  });
  if (outdated.length > 0) {
    await writeNames(
      client,
      platform,
      outdated,
      outdated.map((id) => nameById.get(id) ?? id),
      now,
    );
    // Read the ids again, because another transaction may have inserted some of the artists.
    for (const [id, artist] of await readArtists(client, platform, outdated)) known.set(id, artist);
  }
  const ids = new Map<string, ArtistId>();
  for (const [platformId, { id }] of known) ids.set(platformId, id);
  return ids;
}

interface KnownArtist {
  readonly id: ArtistId;
  readonly name: string;
  /** Until our first complete observation, the name comes from a report. */
  readonly neverObserved: boolean;
}

const KNOWN_ARTISTS = `
SELECT id, platform_id, name, last_complete_at IS NULL AS "neverObserved"
  FROM artists WHERE platform = $1 AND platform_id = ANY(${anyLength('$2::text[]')}::text[])`;

async function readArtists(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  platformIds: readonly string[],
): Promise<Map<string, KnownArtist>> {
  const { rows } = await client.query<KnownArtist & { platform_id: string }>({
    name: 'known-artists',
    text: KNOWN_ARTISTS,
    values: [platform, platformIds],
  });
  return new Map(rows.map((row) => [row.platform_id, row]));
}

/** Renames only artists that we never completely observed. */
async function writeNames(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  platformIds: readonly string[],
  names: readonly string[],
  now: Date,
): Promise<void> {
  await client.query(
    `INSERT INTO artists AS a (id, platform, platform_id, name, created_at)
     SELECT 'art_' || replace(gen_random_uuid()::text, '-', ''), $1, t.platform_id, t.name, $4::timestamptz
       FROM unnest($2::text[], $3::text[]) AS t (platform_id, name)
      ORDER BY t.platform_id COLLATE "C"
     ON CONFLICT (platform, platform_id) DO UPDATE SET name = excluded.name WHERE a.last_complete_at IS NULL`,
    [platform, platformIds, names, now],
  );
}
