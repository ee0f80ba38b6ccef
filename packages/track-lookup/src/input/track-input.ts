import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { parseTrackAddress, type TrackAddress } from '@artist-watch/domain/platform/platform-address';
import { type FollowShortLink, parseShortLink } from './short-links.js';

const MESSAGES = {
  not_an_address: 'This is not the address of a track.',
  other_platform: 'This is an address of another platform than the one that is watched here.',
  other_kind: 'This is not the address of a track, but of something else.',
} as const;

export type TrackInput =
  | { readonly kind: 'track'; readonly trackId: string }
  | { readonly kind: 'short_link'; readonly link: URL };

/**
 * What an input says by itself; nobody is asked.
 *
 * @throws ApiError `unsupported_url` for what is neither
 */
export function parseTrackInput(input: string, platform: Platform): TrackInput {
  const address = parseTrackAddress(input, platform);
  if (address.kind === 'track') return address;
  const link = parseShortLink(input, platform);
  if (link) return { kind: 'short_link', link };
  throw refused(address);
}

/**
 * The id of the track that an input means. Nothing is asked of anybody, except for a short link, which says nothing by
 * itself.
 *
 * @throws ApiError `unsupported_url`, and what `follow` throws.
 */
export async function trackIdOf(input: TrackInput, platform: Platform, follow: FollowShortLink): Promise<string> {
  if (input.kind === 'track') return input.trackId;
  const target = await follow(input.link);
  if (target === undefined) throw new ApiError('unsupported_url', 'This short link does not lead to a track.');
  const followed = parseTrackAddress(target, platform);
  if (followed.kind === 'track') return followed.trackId;
  throw refused(followed);
}

function refused({ reason }: Exclude<TrackAddress, { kind: 'track' }>): ApiError {
  return new ApiError('unsupported_url', MESSAGES[reason]);
}
