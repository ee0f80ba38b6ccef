import type { CatalogueState, Platform } from '@artist-watch/domain/catalogue';
import { isBlank, NO_PICTURE } from '@artist-watch/domain/comparison/value-identity';
import { normaliseIsrc, platformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { type ArtistFound, badResponse, type FoundArtist } from './port.js';

/** @throws PlatformError `bad_answer` */
export function toArtistFound(
  platform: Platform,
  id: string,
  artist: CatalogueState['artist'] | undefined,
): ArtistFound {
  if (artist === undefined) return { kind: 'not_found' };
  if (artist.platformId !== id) throw badResponse(`artist ${id}: the response is about another artist`);
  const [found] = toFoundArtists(platform, [artist]);
  if (found === undefined) throw badResponse(`artist ${id}: no name`);
  return { kind: 'found', artist: found };
}

export function toFoundArtists(platform: Platform, artists: readonly CatalogueState['artist'][]): FoundArtist[] {
  const named = new Map<string, FoundArtist>();
  for (const { platformId, name, imageId, followers } of artists) {
    if (name === undefined) continue;
    named.set(platformId, { platformId, name, imageId, followers, url: platformUrl(platform, 'artist', platformId) });
  }
  return [...named.values()];
}

/** Absent, null and malformed values become undefined, which means unknown. */
export function known<Value>(schema: z.ZodType<Value>) {
  return schema.optional().catch(undefined);
}

export const visibleText = z
  .string()
  .trim()
  .refine((text) => !isBlank(text));
export const knownText = known(visibleText);

/** The first group of `pattern` contains the content id. */
export function pictureIdIn(text: z.ZodType<string>, pattern: RegExp) {
  return known(
    text.transform((value) => pattern.exec(value)?.[1]).transform((id) => (id === NO_PICTURE ? undefined : id)),
  );
}

export function withoutNull<Item extends z.ZodType>(item: Item) {
  return z.array(item.nullable()).transform((items) => items.filter((one) => one !== null));
}

export const knownFlag = known(z.boolean());
/** Deezer sends some counts as text. */
const digits = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
export const knownCount = known(z.union([z.number(), digits]).pipe(z.number().int().positive()));

/** Spotify sends some ISRCs with hyphens (FoxxMD/multi-scrobbler, pull request 644). Other text stays unchanged. */
export const knownIsrc = known(
  z
    .string()
    .trim()
    .min(1)
    .transform((text): string => normaliseIsrc(text) ?? text),
);

/** `YYYY-MM-DD`, `YYYY-MM` or `YYYY` */
export const knownDate = known(
  z
    .string()
    .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/)
    .refine((value) => !value.startsWith('0000')),
);

const DAY_MS = 86_400_000;

/**
 * In the westernmost time zone (UTC-12), a day starts 12 hours later than in UTC, and platform caches can add a few
 * hours.
 */
const SURELY_OUT_AFTER_MS = 2 * DAY_MS;

/** `soon`: the release day may not have started in every time zone, so some tracks may still be hidden. */
export function releaseTiming(releaseDate: string | undefined, now: Date): 'later' | 'soon' | 'out' {
  const sinceMs = now.getTime() - Date.parse(releaseDate ?? '');
  if (releaseDate === undefined || releaseDate.length < 'YYYY-MM-DD'.length || !(sinceMs < SURELY_OUT_AFTER_MS))
    return 'out';
  return sinceMs < 0 ? 'later' : 'soon';
}

/**
 * Releases have about 180 markets each, so checking every code with a schema would take longer than all other parsing.
 */
export const knownCountries = known(z.custom<string[]>(areCountries));

function areCountries(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[A-Z]{2}$/.test(one));
}

export interface PlacedTrack {
  readonly disc: number | undefined;
  readonly place: number | undefined;
}

/** Numbers tracks across discs. A missing track does not shift the numbers on later discs. */
export function placesOverDiscs(tracks: readonly PlacedTrack[]): (number | undefined)[] {
  const greatest = new Map<number, number>();
  for (const { disc, place } of tracks) {
    if (disc === undefined || place === undefined) return tracks.map(() => undefined);
    greatest.set(disc, Math.max(greatest.get(disc) ?? 0, place));
  }
  const discs = [...greatest];
  return tracks.map(({ disc = 1, place = 1 }) =>
    discs.reduce((sum, [other, places]) => (other < disc ? sum + places : sum), place),
  );
}
