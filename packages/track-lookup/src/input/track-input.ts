import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { parseTrackAddress, type TrackAddress } from '@artist-watch/domain/platform/platform-address';
import { type FollowShortLink, parseShortLink } from './short-links.js';

const MESSAGES = {
  not_an_address: 'This is not a valid track URL.',
  other_platform: 'This URL belongs to another streaming platform.',
  other_kind: 'This URL does not belong to a track.',
} as const;

export type TrackInput =
  | { readonly kind: 'track'; readonly trackId: string }
  | { readonly kind: 'short_link'; readonly link: URL };

/**
 * Doesn't send any requests.
 * @throws ApiError `unsupported_url` if the input is neither a track URL nor a short link
 */
export function parseTrackInput(input: string, platform: Platform): TrackInput {
  const address = parseTrackAddress(input, platform);
  if (address.kind === 'track') return address;
  const link = parseShortLink(input, platform);
  if (link) return { kind: 'short_link', link };
  throw unsupportedUrl(address);
}

/**
 * Only sends requests if the input is a short link.
 * @throws ApiError `unsupported_url`; any error from `follow`
 */
export async function resolveTrackId(input: TrackInput, platform: Platform, follow: FollowShortLink): Promise<string> {
  if (input.kind === 'track') return input.trackId;
  const target = await follow(input.link);
  if (target === undefined) throw new ApiError('unsupported_url', 'This short link does not point to a track.');
  const followed = parseTrackAddress(target, platform);
  if (followed.kind === 'track') return followed.trackId;
  throw unsupportedUrl(followed);
}

function unsupportedUrl({ reason }: Exclude<TrackAddress, { kind: 'track' }>): ApiError {
  return new ApiError('unsupported_url', MESSAGES[reason]);
}
