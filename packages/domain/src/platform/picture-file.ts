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

/** Only these formats are allowed, because others could contain executable content. */
export type PictureType = 'image/jpeg' | 'image/png';

export interface PictureFile {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
}

/** At this size, a decoded picture already takes 64 MiB. */
const MAX_PIXELS_A_SIDE = 4_096;

/** Checks the file's first bytes, because the server's headers can be wrong. */
export function readPictureFile(bytes: Uint8Array): PictureFile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const file = pngFile(view) ?? jpegFile(view);
  if (!file) return undefined;
  const sides = [file.width, file.height];
  return sides.every((pixels) => pixels > 0 && pixels <= MAX_PIXELS_A_SIDE) ? file : undefined;
}

/** See https://www.w3.org/TR/png-3/#5DataRep. */
function pngFile(view: DataView): PictureFile | undefined {
  if (view.byteLength < 33 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return undefined;
  if (view.getUint32(12) !== 0x49484452) return undefined;
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** See ITU-T T.81, annex B. */
function jpegFile(view: DataView): PictureFile | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Any number of 0xff bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameHeader(marker)) {
      return { type: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    if (!hasLength(marker)) return undefined;
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

/** DHT, JPG and DAC are in this range, but are not frame headers. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function hasLength(marker: number): boolean {
  return marker === 0xc4 || marker === 0xcc || (marker >= 0xdb && marker <= 0xfe);
}

/** For customers. */
export const PICTURE_PROBLEMS = {
  absent: 'This picture is no longer available.',
  unreachable: 'The picture server did not respond.',
  too_large: 'The picture is too large to store.',
  not_a_picture: 'The file is not a JPEG or PNG picture.',
  unknown_id: 'The picture has an unknown ID format.',
} as const;

export type PictureProblem = keyof typeof PICTURE_PROBLEMS;
