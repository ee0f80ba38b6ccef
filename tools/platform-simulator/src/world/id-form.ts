import { createHash } from 'node:crypto';
import type { EntityKind } from './entities.js';

export type IdForm = (kind: EntityKind, number: number) => string;

const DEEZER_FIRST: Record<EntityKind, number> = { artist: 5_000_000, release: 100_000_000, track: 1_000_000_000 };

/** Each kind has its own range, so ids of the wrong kind are easy to spot. */
export const deezerId: IdForm = (kind, number) => String(DEEZER_FIRST[kind] + number);

const BASE62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SPOTIFY_ID_CHARS = 22;

/** 128-bit ids as 22 base62 characters. */
export const spotifyId: IdForm = (kind, number) => {
  const hash = createHash('sha256').update(`${kind}:${number}`).digest();
  let rest = hash.readBigUInt64BE(0) * 2n ** 64n + hash.readBigUInt64BE(8);
  let id = '';
  for (let i = 0; i < SPOTIFY_ID_CHARS; i++) {
    id = BASE62.charAt(Number(rest % 62n)) + id;
    rest /= 62n;
  }
  return id;
};

/** Returns 32 hex digits. */
export function pictureId(...parts: readonly (string | number)[]): string {
  return createHash('md5').update(parts.join(':')).digest('hex');
}
