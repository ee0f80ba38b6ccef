import { randomUUID } from 'node:crypto';
import type { Stage } from './stage.js';

/** An artist of the simulated platform. */
export interface PlatformArtist {
  readonly id: string;
  readonly name: string;
  readonly releases: ReadonlyArray<{
    readonly id: string;
    /** By another test, on the platform. */
    readonly removed: boolean;
    readonly tracks: ReadonlyArray<{ readonly id: string; readonly isrc: string }>;
  }>;
}

/** So many of the artists are watched by the account of the stack. */
export const LIVED_IN = 5;

/** With enough releases that a removed one is no mass removal; the smallest first, which are read soonest. */
export async function artistsOfPlatform({ stack }: Stage): Promise<PlatformArtist[]> {
  const answer = await fetch(`${stack.platformControlUrl}/state`);
  const { artists } = (await answer.json()) as { artists: readonly PlatformArtist[] };
  return artists
    .filter(({ releases }) => releases.length >= 6)
    .sort((one, other) => one.releases.length - other.releases.length);
}

/** Of those that the account of the stack does not watch: what is reported of them is no business of its destinations. */
export async function artistToWatch(stage: Stage, place: number): Promise<PlatformArtist> {
  return (await artistsOfPlatform(stage)).at(LIVED_IN + place) as PlatformArtist;
}

/** Those that no account watches or has watched. */
export async function unwatchedArtists(stage: Stage): Promise<PlatformArtist[]> {
  const [artists, { rows }] = await Promise.all([
    artistsOfPlatform(stage),
    stage.pool.query<{ id: string }>('SELECT platform_id AS id FROM artists'),
  ]);
  const known = new Set(rows.map(({ id }) => id));
  return artists.filter(({ id }) => !known.has(id));
}

/** Makes the next reading of an artist due, unless one is already. */
export async function readAgain({ pool }: Stage, platformId: string): Promise<void> {
  await pool.query(
    "UPDATE artists SET next_poll_at = now() WHERE platform_id = $1 AND next_poll_at > now() + interval '1 second'",
    [platformId],
  );
}

export interface Report {
  readonly type: string;
  readonly entityType: 'artist' | 'release' | 'track';
  readonly entityName: string;
  /** Two hours ago unless given. */
  readonly detectedAt?: Date;
}

/** Changes that another detector has confirmed; resolves when they are in the feeds of who watches the artist. */
export async function report(
  { stack }: Stage,
  artist: { readonly id: string; readonly name: string },
  reports: readonly Report[],
): Promise<void> {
  const changes = reports.map(({ type, entityType, entityName, detectedAt = new Date(Date.now() - 7_200_000) }) => {
    const id = randomUUID();
    return {
      ...{ external_id: id, platform: stack.platform, artist_platform_id: artist.id, artist_name: artist.name },
      ...{ type, entity_type: entityType, entity_id: id, entity_name: entityName },
      detected_at: detectedAt.toISOString(),
    };
  });
  const answer = await fetch(`${stack.ingestUrl}/changes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.ingestToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
