import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { anyLength } from '../database/sql-text.js';

export interface NamedArtist {
  readonly platformId: string;
  readonly name: string;
}

/**
 * Returns artist ids by platform id, and inserts artists that are not in the database yet. All callers lock rows in the
 * same order, to avoid deadlocks.
 */
export async function ensureArtists(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  artists: readonly NamedArtist[],
  now: Date,
): Promise<ReadonlyMap<string, ArtistId>> {
  const nameById = new Map<string, string>();
  for (const { platformId, name } of artists) nameById.set(platformId, name);
  const platformIds = [...nameById.keys()].sort();

  const ids = new Map<string, ArtistId>();
  const unnamed = new Set(platformIds);
  for (const { id, platformId, name, neverObserved } of await readArtists(client, platform, platformIds)) {
    ids.set(platformId, id);
    if (!neverObserved || name === nameById.get(platformId)) unnamed.delete(platformId);
  }
  if (unnamed.size === 0) return ids;
  const outdated = [...unnamed];
  const names = outdated.map((id) => nameById.get(id) ?? id);
  await writeNames(client, platform, outdated, names, now);
  // Read the ids again, because another transaction may have inserted some of the artists.
  for (const { id, platformId } of await readArtists(client, platform, outdated)) ids.set(platformId, id);
  return ids;
}

interface KnownArtist {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
  /** Until our first complete observation, we use the name from a report. */
  readonly neverObserved: boolean;
}

const KNOWN_ARTISTS = `
SELECT id, platform_id AS "platformId", name, last_complete_at IS NULL AS "neverObserved"
  FROM artists WHERE platform = $1 AND platform_id = ANY(${anyLength('$2::text[]')}::text[])`;

async function readArtists(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  platformIds: readonly string[],
): Promise<readonly KnownArtist[]> {
  const { rows } = await client.query<KnownArtist>({
    name: 'known-artists',
    text: KNOWN_ARTISTS,
    values: [platform, platformIds],
  });
  return rows;
}

/** Only renames artists that have never been completely observed. */
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
