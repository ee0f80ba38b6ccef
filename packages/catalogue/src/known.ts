import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import { z } from 'zod';

/** A field that may be absent, null, empty or of another type, and is unknown then. */
export function known<Value>(schema: z.ZodType<Value>) {
  return schema.optional().catch(undefined);
}

export const knownText = known(z.string().trim().min(1));
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
