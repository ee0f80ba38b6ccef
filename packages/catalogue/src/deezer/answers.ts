import { z } from 'zod';
import {
  known,
  knownCount,
  knownCountries,
  knownDate,
  knownFlag,
  knownIsrc,
  knownText,
  pictureIdIn,
  visibleText,
  withoutNull,
} from '../known.js';
import { nextOffset } from '../list-pages.js';

/**
 * The parts of the public API's answers that are read (developers.deezer.com/api). What identifies and counts must be
 * there; anything else may be absent, null, empty or of another type, and is then unknown.
 */

export const idSchema = z
  .union([z.number().int().positive(), z.string().regex(/^\d{1,19}$/)])
  .transform((id) => String(id));

const credit = z.object({ id: idSchema, name: visibleText });
const contributors = known(z.array(credit).min(1));

/** `md5_image` is the content id of a picture; empty, or the hash of nothing, where there is none. */
const pictureHash = pictureIdIn(z.string(), /^([0-9a-f]{32})$/);

/** An artist's picture has no field for its content id, but its address holds it. */
const pictureHashInAddress = pictureIdIn(z.string(), /\/images\/artist\/([0-9a-f]{32})\//);

export const artistSchema = z.object({
  id: idSchema,
  name: knownText,
  picture_xl: pictureHashInAddress,
  picture_medium: pictureHashInAddress,
  // Deezer shows 0 for an artist whose fans it fails to count. For an artist without fans nothing is lost by leaving it
  // unknown: 0 is what is shown before the first known value (docs/reference/api.md).
  nb_fan: known(z.number().int().positive()),
});

export const artistSearchSchema = z.object({ data: withoutNull(artistSchema) });

export const listedAlbumSchema = z.object({
  id: idSchema,
  title: knownText,
  md5_image: pictureHash,
  release_date: knownDate,
  record_type: knownText,
  explicit_lyrics: knownFlag,
});

export const albumSchema = listedAlbumSchema.extend({
  upc: knownText,
  label: knownText,
  contributors,
  tracks: known(z.object({ data: withoutNull(z.object({ id: idSchema, readable: knownFlag })) })),
});

export const listedTrackSchema = z.object({
  id: idSchema,
  title: knownText,
  isrc: knownIsrc,
  /** Whether it can be played where the caller is taken to be. */
  readable: knownFlag,
  track_position: knownCount,
  disk_number: knownCount,
  explicit_lyrics: knownFlag,
});

export const trackSchema = listedTrackSchema.extend({
  duration: knownCount,
  contributors,
  artist: known(credit),
  album: known(z.object({ id: idSchema, title: knownText, release_date: knownDate, md5_image: pictureHash })),
  available_countries: knownCountries,
});

/** A page of a list; the last one names no next. */
function pageSchema<Item extends z.ZodType>(item: Item) {
  return z
    .object({ data: z.array(item.nullable()), total: z.number().int().min(0), next: nextOffset('index') })
    .transform(({ data, total, next }) => ({ items: data, total, next }));
}

export const albumPageSchema = pageSchema(listedAlbumSchema);
export const trackPageSchema = pageSchema(listedTrackSchema);

export const infosSchema = z.object({ country_iso: z.string().regex(/^[A-Z]{2}$/) });

export type DeezerArtist = z.output<typeof artistSchema>;
export type DeezerListedAlbum = z.output<typeof listedAlbumSchema>;
export type DeezerAlbum = z.output<typeof albumSchema>;
export type DeezerListedTrack = z.output<typeof listedTrackSchema>;
export type DeezerTrack = z.output<typeof trackSchema>;
