import { isBlank, NO_PICTURE } from '@artist-watch/domain/comparison/value-identity';
import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import { z } from 'zod';

/** Makes a field optional. A value that is absent, null, empty or of a different type becomes undefined (unknown). */
export function known<Value>(schema: z.ZodType<Value>) {
  return schema.optional().catch(undefined);
}

/** Text with at least one visible character. */
export const visibleText = z
  .string()
  .trim()
  .refine((text) => !isBlank(text));
export const knownText = known(visibleText);

/**
 * Extracts a picture's content id, which is the first group of `pattern`. Returns undefined for the hash of an empty
 * file, because that hash means that there is no picture.
 */
export function pictureIdIn(text: z.ZodType<string>, pattern: RegExp) {
  return known(
    text.transform((value) => pattern.exec(value)?.[1]).transform((id) => (id === NO_PICTURE ? undefined : id)),
  );
}

/** Removes null items. Only for lists that need not be complete. */
export function withoutNull<Item extends z.ZodType>(item: Item) {
  return z.array(item.nullable()).transform((items) => items.filter((one) => one !== null));
}

export const knownFlag = known(z.boolean());
/** A 1-based position or a count. Deezer sends some of them as text. */
const digits = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
export const knownCount = known(z.union([z.number(), digits]).pipe(z.number().int().positive()));

/**
 * An ISRC in upper case and without hyphens. Spotify sends some with hyphens (FoxxMD/multi-scrobbler, pull request
 * 644). Text that is not an ISRC is returned unchanged.
 */
export const knownIsrc = known(
  z
    .string()
    .trim()
    .min(1)
    .transform((text): string => normaliseIsrc(text) ?? text),
);

/** A date in the format `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. Dates that start with `0000` are unknown. */
export const knownDate = known(
  z
    .string()
    .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/)
    .refine((value) => !value.startsWith('0000')),
);

const DAY_MS = 86_400_000;

/**
 * How long after its release date a release is certainly out. In the last time zone, a day starts 12 hours later than
 * in UTC, and platform caches can add some hours.
 */
const SURELY_OUT_AFTER_MS = 2 * DAY_MS;

/**
 * Returns whether a release is out. `later`: the release date is in the future. `soon`: the day may not have started in
 * every time zone, so the platform may list and play only some of the tracks. A release with an unknown date counts as
 * out.
 */
export function releaseTiming(releaseDate: string | undefined, now: Date): 'later' | 'soon' | 'out' {
  const sinceMs = now.getTime() - Date.parse(releaseDate ?? '');
  if (releaseDate === undefined || releaseDate.length < 'YYYY-MM-DD'.length || !(sinceMs < SURELY_OUT_AFTER_MS))
    return 'out';
  return sinceMs < 0 ? 'later' : 'soon';
}

/**
 * A list of country codes, checked by one function. Spotify lists about 180 markets per release, and a schema for each
 * code would take longer than all other parsing.
 */
export const knownCountries = known(z.custom<string[]>(areCountries));

function areCountries(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[A-Z]{2}$/.test(one));
}

export interface PlacedTrack {
  /** 1-based. */
  readonly disc: number | undefined;
  /** The position on the disc, counted from 1. */
  readonly place: number | undefined;
}

/**
 * Numbers the tracks across all discs. The length of a disc is its highest position and not its number of tracks, so
 * that a removed track does not shift the tracks after it.
 */
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
