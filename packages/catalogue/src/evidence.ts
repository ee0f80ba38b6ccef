import type { CatalogueState, IncompleteCause, Observation } from '@artist-watch/domain/catalogue';
import { badAnswer, isNotFound, PlatformError, type PlatformFailure } from './platform-error.js';
import type { DirectReading } from './port.js';

/** The platform answered about another thing than the one that was asked for. That says nothing about either. */
export type Relinked = 'relinked';

/** Undefined where the platform said, in its own words, that it has no such thing. */
export async function orAbsent<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * What the artist and the list of its releases say together. The artist is gone only when both say so, and the artist
 * says it again when asked once more; an empty list agrees with that, since some platforms answer so for an artist that
 * they do not have. Where a list is long, and most readings of it fail, readings in which both were wrong by chance
 * would otherwise follow each other often enough to confirm a removal (docs/benchmarks/soak.md).
 *
 * @throws PlatformError `bad_answer` when they contradict each other.
 */
export async function settleArtist<Artist, Listed extends { readonly items: readonly unknown[] }>(
  platformId: string,
  readArtist: () => Promise<Artist | Relinked>,
  listReading: Promise<Listed>,
): Promise<{ readonly artist: Artist; readonly listed: Listed } | 'gone'> {
  const [artist, listed] = await Promise.all([orAbsent(readArtist()), orAbsent(listReading)]);
  if (artist === 'relinked') throw badAnswer(`artist ${platformId}: answered with another artist`);
  if (artist !== undefined && listed !== undefined) return { artist: artist as Artist, listed };
  const areBothAbsent = artist === undefined && (listed === undefined || listed.items.length === 0);
  if (areBothAbsent && (await orAbsent(readArtist())) === undefined) return 'gone';
  throw badAnswer(`artist ${platformId}: the artist and the list of releases contradict each other`);
}

/** @param unknown how many releases the list has that show nothing of themselves. */
export function catalogueState(
  artist: CatalogueState['artist'],
  releases: CatalogueState['releases'],
  unknown: number,
): CatalogueState {
  return unknown === 0 ? { artist, releases } : { artist, releases, unknownReleases: unknown };
}

/** Trouble with the platform makes an observation incomplete; anything else is thrown. */
export async function asObservation(
  clock: { now(): Date },
  reading: Promise<CatalogueState | 'gone'>,
): Promise<Observation> {
  try {
    const state = await reading;
    const observedAt = clock.now();
    return state === 'gone' ? { kind: 'artist_gone', observedAt } : { kind: 'complete', observedAt, state };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { failure, message: reason } = error;
    return { kind: 'incomplete', observedAt: clock.now(), cause: causeOf(failure), reason };
  }
}

function causeOf(failure: PlatformFailure): IncompleteCause {
  switch (failure.kind) {
    case 'quota':
      return 'rate_limited';
    case 'unavailable':
    case 'timeout':
      return 'platform_error';
    case 'bad_answer':
      return failure.isIncompleteList ? 'incomplete_list' : 'unclear_response';
    case 'not_found':
      return 'unclear_response';
  }
}

/** A living release that is credited to others alone has moved to their pages. Unknown credits say nothing. */
export function withCredits(
  life: DirectReading,
  credits: readonly { readonly id: string; readonly name: string }[] | undefined,
  artistPlatformId: string | undefined,
): DirectReading {
  if (life !== 'alive' || artistPlatformId === undefined || credits === undefined) return life;
  if (credits.some(({ id }) => id === artistPlatformId)) return life;
  return { movedTo: credits.map(({ id, name }) => ({ platformId: id, name })) };
}

/** Trouble with the platform makes a direct reading unknown; anything else is thrown. */
export async function asDirectReading(reading: Promise<DirectReading>): Promise<DirectReading> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PlatformError) return 'unknown';
    throw error;
  }
}
