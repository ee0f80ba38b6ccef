import type { Platform } from '../catalogue.js';
import type { EntityType } from '../change/change-types.js';

export type PictureSubject = Extract<EntityType, 'artist' | 'release'>;

export const PICTURE_ORIGINS: Readonly<Record<Platform, string>> = {
  deezer: 'https://cdn-images.dzcdn.net',
  spotify: 'https://i.scdn.co',
};

const DEEZER_ID = /^[0-9a-f]{32}$/;
const DEEZER_FOLDERS = { artist: 'artist', release: 'cover' } as const;
/** The last 24 of a picture's 40 digits. The first 16 encode the kind and the size (`SPOTIFY_KINDS`). */
const SPOTIFY_ID = /^[0-9a-f]{24}$/;
const SPOTIFY_KINDS = { artist: 'ab6761610000e5eb', release: 'ab67616d0000b273' } as const;

/** Returns undefined if the id has a different format, for example because it came from another detector. */
export function picturePath(platform: Platform, of: PictureSubject, contentId: string): string | undefined {
  switch (platform) {
    case 'deezer':
      if (!DEEZER_ID.test(contentId)) return undefined;
      return `/images/${DEEZER_FOLDERS[of]}/${contentId}/500x500-000000-80-0-0.jpg`;
    case 'spotify':
      return SPOTIFY_ID.test(contentId) ? `/image/${SPOTIFY_KINDS[of]}${contentId}` : undefined;
  }
}
