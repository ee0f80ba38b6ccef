import type { Platform } from '../catalogue.js';
import type { EntityType } from '../change/change-types.js';

/** What a picture shows: a release's artwork, or an artist. */
export type PictureOf = Extract<EntityType, 'artist' | 'release'>;

/** Where each platform serves its pictures. */
export const PICTURE_ORIGINS: Readonly<Record<Platform, string>> = {
  deezer: 'https://cdn-images.dzcdn.net',
  spotify: 'https://i.scdn.co',
};

const DEEZER_ID = /^[0-9a-f]{32}$/;
const DEEZER_FOLDERS = { artist: 'artist', release: 'cover' } as const;
/** An id is the last 24 of 40 digits; the first 16 name kind and size (640 pixels here). */
const SPOTIFY_ID = /^[0-9a-f]{24}$/;
const SPOTIFY_KINDS = { artist: 'ab6761610000e5eb', release: 'ab67616d0000b273' } as const;

/**
 * The path of the picture with this content id, 500 to 640 pixels wide. Undefined for what is no id of the platform:
 * snapshots that another reader reports may name pictures as they like.
 */
export function picturePath(platform: Platform, of: PictureOf, contentId: string): string | undefined {
  switch (platform) {
    case 'deezer':
      if (!DEEZER_ID.test(contentId)) return undefined;
      return `/images/${DEEZER_FOLDERS[of]}/${contentId}/500x500-000000-80-0-0.jpg`;
    case 'spotify':
      return SPOTIFY_ID.test(contentId) ? `/image/${SPOTIFY_KINDS[of]}${contentId}` : undefined;
  }
}
