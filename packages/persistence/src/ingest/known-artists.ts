import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { ofAnyLength } from '../database/sql-text.js';

/** An artist as somebody else names it. */
export interface NamedArtist {
  readonly platformId: string;
  readonly name: string;
}

/**
 * The ids of artists by their platform's ids; those that are not known yet are made, unwatched, so nobody polls them.
 * The name of one that we have never read ourselves follows the newest that is reported.
 *
 * Rows are locked in one order, whoever calls, so that two transactions wait for each other in one direction only.
 */
export async function knownArtists(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  artists: readonly NamedArtist[],
  now: Date,
): Promise<ReadonlyMap<string, ArtistId>> {
  const nameById = new Map(artists.map(({ platformId, name }) => [platformId, name]));
  const platformIds = [...nameById.keys()].sort();

  const known = await readArtists(client, platform, platformIds);
  const stale = platformIds.filter((id) => {
    const artist = known.get(id);
    return !artist || (artist.unread && artist.name !== nameById.get(id));
  });
  if (stale.length > 0) {
    await writeNames(
      client,
      platform,
      stale,
      stale.map((id) => nameById.get(id) ?? id),
      now,
    );
    // Another transaction may have made some of them meanwhile.
    for (const [id, artist] of await readArtists(client, platform, stale)) known.set(id, artist);
  }
  return new Map([...known].map(([platformId, artist]) => [platformId, artist.id]));
}

interface KnownArtist {
  readonly id: ArtistId;
  readonly name: string;
  /** Its name is only what somebody reported: no observation of our own has been complete yet. */
  readonly unread: boolean;
}

async function readArtists(
  client: pg.Pool | pg.PoolClient,
  platform: Platform,
  platformIds: readonly string[],
): Promise<Map<string, KnownArtist>> {
  const { rows } = await client.query<KnownArtist & { platform_id: string }>({
    name: 'known-artists',
    text: `SELECT id, platform_id, name, last_complete_at IS NULL AS unread
             FROM artists WHERE platform = $1 AND platform_id = ANY(${ofAnyLength('$2::text[]')}::text[])`,
    values: [platform, platformIds],
  });
  return new Map(rows.map((row) => [row.platform_id, row]));
}

/** Makes those that are not there, and renames those that were never read. */
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
