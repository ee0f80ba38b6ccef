import type { CatalogueState, IncompleteCause, MergeTarget, Observation } from '@artist-watch/domain/catalogue';
import { badResponse, type DirectReading, isNotFound, PlatformError, type PlatformFailure } from './port.js';

/** The platform returned a different entity, so the state of the requested one is unknown. */
export type Relinked = 'relinked';

export type ArtistAbsence = 'gone' | { readonly mergedInto: MergeTarget };

export async function undefinedIfNotFound<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Requests an entity that was not found once more, because a single response is often wrong (docs/benchmarks/soak.md). */
export async function undefinedIfGone<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  return (await undefinedIfNotFound(read())) ?? undefinedIfNotFound(read());
}

interface NamedArtist {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * Reports an artist as gone or merged only if two responses agree, because a single response is often wrong
 * (docs/benchmarks/soak.md).
 * @param readArtist returns the artist from the response, which may be a different one
 * @throws PlatformError `bad_answer` if the responses contradict each other
 */
export async function reconcileArtist<
  Artist extends NamedArtist,
  Listed extends { readonly items: readonly unknown[] },
>(
  platformId: string,
  readArtist: (id: string) => Promise<Artist>,
  listReading: Promise<Listed>,
): Promise<{ readonly artist: Artist; readonly listed: Listed } | ArtistAbsence> {
  const list = undefinedIfNotFound(listReading);
  // Without this handler, Node would report an unhandled rejection if the list fails first.
  list.catch(() => undefined);
  const artist = await undefinedIfNotFound(readArtist(platformId));
  if (artist !== undefined && artist.id !== platformId) {
    const again = await undefinedIfNotFound(readArtist(platformId));
    const into = await undefinedIfNotFound(readArtist(artist.id));
    if (again?.id !== artist.id || into?.id !== artist.id) {
      throw badResponse(`artist ${platformId}: the response is about another artist`);
    }
    return { mergedInto: { platformId: into.id, name: into.name } };
  }
  const listed = await list;
  if (artist !== undefined && listed !== undefined) return { artist, listed };
  const areBothAbsent = artist === undefined && (listed === undefined || listed.items.length === 0);
  if (areBothAbsent && (await undefinedIfNotFound(readArtist(platformId))) === undefined) return 'gone';
  throw badResponse(
    `artist ${platformId}: the responses for the artist and for the list of releases contradict each other`,
  );
}

export function catalogueState(
  artist: CatalogueState['artist'],
  releases: CatalogueState['releases'],
  unknown: number,
): CatalogueState {
  return unknown === 0 ? { artist, releases } : { artist, releases, unknownReleases: unknown };
}

/** Converts platform errors into incomplete observations. Throws other errors. */
export async function toObservation(
  clock: { now(): Date },
  reading: Promise<CatalogueState | ArtistAbsence>,
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
    return { kind: 'incomplete', observedAt: clock.now(), cause: incompleteCause(failure), reason };
  }
}

function incompleteCause(failure: PlatformFailure): IncompleteCause {
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

/** An existing release that is now credited only to other artists counts as moved. */
export function checkCredits(
  status: DirectReading,
  credits: readonly { readonly id: string; readonly name: string }[] | undefined,
  artistPlatformId: string | undefined,
): DirectReading {
  if (status !== 'alive' || artistPlatformId === undefined || credits === undefined) return status;
  if (credits.some(({ id }) => id === artistPlatformId)) return status;
  return { movedTo: credits.map(({ id, name }) => ({ platformId: id, name })) };
}

/** Converts platform errors into `unknown`. Throws other errors. */
export async function toDirectReading(reading: Promise<DirectReading>): Promise<DirectReading> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PlatformError) return 'unknown';
    throw error;
  }
}
