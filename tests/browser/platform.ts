import { randomUUID } from 'node:crypto';
import { callJson, reportedRemoval } from '@artist-watch/harness/json-calls';
import type { Stage } from './stage.js';

export interface PlatformArtist {
  readonly id: string;
  readonly name: string;
  readonly releases: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    readonly tracks: ReadonlyArray<{ readonly id: string; readonly isrc: string }>;
  }>;
}

/** Removing one of six releases is not a mass removal. */
const FEWEST_RELEASES = 6;

/**
 * Returns unwatched artists, smallest first. New artists are polled soonest, and no other account gets their changes.
 */
export async function freshArtists({ stack, pool }: Stage, count: number): Promise<PlatformArtist[]> {
  const [answer, { rows }] = await Promise.all([
    fetch(`${stack.platformControlUrl}/state`),
    pool.query<{ id: string }>('SELECT platform_id AS id FROM artists'),
  ]);
  const { artists } = (await answer.json()) as { artists: readonly PlatformArtist[] };
  const known = new Set(rows.map(({ id }) => id));
  const fresh = artists.filter(({ id, releases }) => !known.has(id) && releases.length >= FEWEST_RELEASES);
  if (fresh.length < count) throw new Error(`The platform has ${fresh.length} artists left, not ${count}.`);
  return fresh.sort((one, other) => one.releases.length - other.releases.length).slice(0, count);
}

export async function freshArtist(stage: Stage): Promise<PlatformArtist> {
  const [artist] = await freshArtists(stage, 1);
  return artist as PlatformArtist;
}

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
  /** Default: two hours ago. */
  readonly detectedAt?: Date;
}

/** Resolves when the changes are in the feeds of the accounts that watch the artist. */
export async function report(
  { stack }: Stage,
  artist: { readonly id: string; readonly name: string },
  reports: readonly Report[],
): Promise<void> {
  const changes = reports.map(({ type, entityType, entityName, detectedAt = new Date(Date.now() - 7_200_000) }) => {
    const id = randomUUID();
    return reportedRemoval(id, {
      ...{ platform: stack.platform, artist_platform_id: artist.id, artist_name: artist.name },
      ...{ type, entity_type: entityType, entity_id: id, entity_name: entityName },
      detected_at: detectedAt.toISOString(),
    });
  });
  await callJson('POST', `${stack.ingestUrl}/changes`, stack.ingestToken, { changes });
}
