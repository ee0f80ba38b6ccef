import type { CatalogueState, IncompleteCause, MergeTarget, Observation } from '@artist-watch/domain/catalogue';
import { badAnswer, isNotFound, PlatformError, type PlatformFailure } from './platform-error.js';
import type { DirectReading } from './port.js';

/** The platform answered about another thing than the one that was asked for. That says nothing about either. */
export type Relinked = 'relinked';

/** The artist is gone, or is another one now. */
export type NotThere = 'gone' | { readonly mergedInto: MergeTarget };

/** Undefined where the platform said, in its own words, that it has no such thing. */
export async function orAbsent<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The part of an artist that says who it is. */
interface NamedArtist {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * What the artist and the list of its releases say together. The artist is gone only when both say so, and the artist
 * says it again when asked once more; an empty list agrees with that, since some platforms answer so for an artist that
 * they do not have. Where a list is long, and most readings of it fail, readings in which both were wrong by chance
 * would otherwise follow each other often enough to confirm a removal (docs/benchmarks/soak.md).
 *
 * An artist that is answered with another one is merged when a second request says the same, and the other one is answered
 * with itself. Its list says nothing: it may be that of either, or none.
 *
 * @param readArtist returns the platform's answer about an id, whichever artist that is.
 * @throws PlatformError `bad_answer` when they contradict each other.
 */
export async function settleArtist<Artist extends NamedArtist, Listed extends { readonly items: readonly unknown[] }>(
  platformId: string,
  readArtist: (id: string) => Promise<Artist>,
  listReading: Promise<Listed>,
): Promise<{ readonly artist: Artist; readonly listed: Listed } | NotThere> {
  const list = orAbsent(listReading);
  // An error of the list counts only if the artist is the right one.
  list.catch(() => undefined);
  const artist = await orAbsent(readArtist(platformId));
  if (artist !== undefined && artist.id !== platformId) {
    const again = await orAbsent(readArtist(platformId));
    const into = await orAbsent(readArtist(artist.id));
    if (again?.id !== artist.id || into?.id !== artist.id) {
      throw badAnswer(`artist ${platformId}: answered with another artist`);
    }
    return { mergedInto: { platformId: into.id, name: into.name } };
  }
  const listed = await list;
  if (artist !== undefined && listed !== undefined) return { artist, listed };
  const areBothAbsent = artist === undefined && (listed === undefined || listed.items.length === 0);
  if (areBothAbsent && (await orAbsent(readArtist(platformId))) === undefined) return 'gone';
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
  reading: Promise<CatalogueState | NotThere>,
): Promise<Observation> {
  try {
    const state = await reading;
    const observedAt = clock.now();
    if (state === 'gone') return { kind: 'artist_gone', observedAt };
    if ('mergedInto' in state) return { kind: 'artist_merged', observedAt, into: state.mergedInto };
    return { kind: 'complete', observedAt, state };
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
