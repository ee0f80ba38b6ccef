import type { Isrc } from '@artist-watch/domain/platform/isrc';
import { ApiError } from '../api-error.js';
import type { FoundTrack, IsrcSource } from './ports.js';

export interface IsrcFound {
  readonly sourceName: string;
  readonly tracks: readonly [FoundTrack, ...FoundTrack[]];
}

/**
 * The tracks of an ISRC, from the first source that knows any. The first source is the platform in use, and its trouble
 * is an answer; those after it are asked only because it knows none, and their trouble changes nothing about that.
 *
 * @throws ApiError `track_not_found`, `upstream_…`
 */
export async function findByIsrc(
  [platform, ...others]: readonly [IsrcSource, ...IsrcSource[]],
  isrc: Isrc,
): Promise<IsrcFound> {
  const found = await ask(platform, isrc);
  if (found) return found;
  for (const source of others) {
    const elsewhere = await ask(source, isrc).catch(passOverTrouble);
    if (elsewhere) return elsewhere;
  }
  throw new ApiError('track_not_found', 'No track with this ISRC is known.');
}

async function ask(source: IsrcSource, isrc: Isrc): Promise<IsrcFound | undefined> {
  const [first, ...more] = await source.findTracks(isrc);
  return first && { sourceName: source.sourceName, tracks: [first, ...more] };
}

function passOverTrouble(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}
