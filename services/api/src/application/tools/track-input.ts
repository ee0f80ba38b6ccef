import type { Platform } from '@artist-watch/domain/catalogue';
import { parseTrackAddress, type TrackAddress } from '@artist-watch/domain/platform/track-address';
import { ApiError } from '../api-error.js';
import type { FollowShortLink } from './ports.js';
import { parseShortLink } from './short-link.js';

const MESSAGES = {
  not_an_address: 'This is not the address of a track.',
  other_platform: 'This is an address of another platform than the one that is watched here.',
  other_kind: 'This is not the address of a track, but of something else.',
} as const;

/**
 * The id of the track that an address means. Nothing is asked of anybody, except for a short link, which says nothing by
 * itself.
 *
 * @throws ApiError `unsupported_url`, and what `follow` throws.
 */
export async function trackIdFrom(input: string, platform: Platform, follow: FollowShortLink): Promise<string> {
  const address = parseTrackAddress(input, platform);
  if (address.kind === 'track') return address.trackId;
  const link = parseShortLink(input, platform);
  if (!link) throw refused(address);
  const target = await follow(link);
  if (target === undefined) throw new ApiError('unsupported_url', 'This short link does not lead to a track.');
  const followed = parseTrackAddress(target, platform);
  if (followed.kind === 'track') return followed.trackId;
  throw refused(followed);
}

function refused({ reason }: Exclude<TrackAddress, { kind: 'track' }>): ApiError {
  return new ApiError('unsupported_url', MESSAGES[reason]);
}
