import { isBlank, NO_PICTURE } from '@artist-watch/domain/comparison/value-identity';
import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import { z } from 'zod';

/** A field that may be absent, null, empty or of another type, and is unknown then. */
export function known<Value>(schema: z.ZodType<Value>) {
  return schema.optional().catch(undefined);
}

/** Text with at least one visible character. */
export const visibleText = z
  .string()
  .trim()
  .refine((text) => !isBlank(text));
export const knownText = known(visibleText);

/** The content id of a picture, where the text has it in parentheses of `pattern`; unknown where it is that of no picture. */
export function pictureIdIn(text: z.ZodType<string>, pattern: RegExp) {
  return known(
    text.transform((value) => pattern.exec(value)?.[1]).transform((id) => (id === NO_PICTURE ? undefined : id)),
  );
}

/** A list without its null items, for lists whose completeness does not matter. */
export function withoutNull<Item extends z.ZodType>(item: Item) {
  return z.array(item.nullable()).transform((items) => items.filter((one) => one !== null));
}

export const knownFlag = known(z.boolean());
/** A place or a number of something, from 1. Deezer writes some as text. */
const digits = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
export const knownCount = known(z.union([z.number(), digits]).pipe(z.number().int().positive()));

/**
 * An ISRC without hyphens, in upper case. Spotify answers some with hyphens (FoxxMD/multi-scrobbler, pull request 644).
 * What is no ISRC stays as it is.
 */
export const knownIsrc = known(
  z
    .string()
    .trim()
    .min(1)
    .transform((text): string => normaliseIsrc(text) ?? text),
);

/** `YYYY-MM-DD`, or shorter; `0000…` is how a date is written that nobody knows. */
export const knownDate = known(
  z
    .string()
    .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/)
    .refine((value) => !value.startsWith('0000')),
);

const DAY_MS = 86_400_000;

/** A day begins 14 hours before that of UTC, and ends 12 hours after it; caches need some hours more. */
const OUT_AFTER_MS = 2 * DAY_MS;

/**
 * `later`: the release date is in the future. `soon`: the day may not have begun in every time zone. Until then the platform
 * may play and list only some of its tracks. An unknown date counts as past.
 */
export function comesOut(releaseDate: string | undefined, now: Date): 'later' | 'soon' | 'is out' {
  const sinceMs = now.getTime() - Date.parse(releaseDate ?? '');
  if (releaseDate === undefined || releaseDate.length < 'YYYY-MM-DD'.length || !(sinceMs < OUT_AFTER_MS))
    return 'is out';
  return sinceMs < 0 ? 'later' : 'soon';
}

/** One check of the whole list: Spotify names some 180 markets of each release, and a schema for each costs more than all else. */
export const knownCountries = known(z.custom<string[]>(areCountries));

function areCountries(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[A-Z]{2}$/.test(one));
}

export interface PlacedTrack {
  /** 1-based. */
  readonly disc: number | undefined;
  /** 1-based place on the disc. */
  readonly place: number | undefined;
}

/**
 * The place of each track over all discs. It is counted from the greatest place on the discs before, not from the
 * number of tracks there, so that a track that is taken down does not move the ones after it.
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
