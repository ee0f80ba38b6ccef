import { z } from 'zod';
import { type JsonResponse, parseResponse } from '../http/response.js';
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
import { badResponse, notFound, quotaSpent, unavailable } from '../platform-error.js';

/** Only ids and totals are required. Absent or malformed fields are treated as unknown (developers.deezer.com/api). */

export const idSchema = z
  .union([z.number().int().positive(), z.string().regex(/^\d{1,19}$/)])
  .transform((id) => String(id));

const credit = z.object({ id: idSchema, name: visibleText });
const contributors = known(z.array(credit).min(1));

/** For a missing picture, the hash is either empty or that of an empty file. */
const pictureHash = pictureIdIn(z.string(), /^([0-9a-f]{32})$/);

/** Deezer has no field for the content id of an artist's picture, so it is read from the picture's URL. */
const pictureHashInAddress = pictureIdIn(z.string(), /\/images\/artist\/([0-9a-f]{32})\//);

export const artistSchema = z.object({
  id: idSchema,
  name: knownText,
  picture_xl: pictureHashInAddress,
  picture_medium: pictureHashInAddress,
  // Deezer returns 0 if it fails to count the fans (docs/api/requests.md).
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
  /** True if the track is playable in the caller's country. */
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

const errorSchema = z.object({
  error: z.object({ type: z.string().optional(), message: z.string().optional(), code: z.coerce.number().optional() }),
});

/** See developers.deezer.com/api/errors. */
const QUOTA = 4;
const SERVICE_BUSY = 700;
const DATA_NOT_FOUND = 800;

/** Deezer's quota covers 5 s, and its responses do not say how much of that time is left. */
const QUOTA_PAUSE_MS = 5_000;

/** Deezer sends errors with HTTP 200. Only code 800 means that the entity does not exist. */
export function interpretDeezer<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (response: JsonResponse) => z.output<Schema> {
  return ({ status, body }) => {
    if (status !== 200) throw badResponse(`${what}: ${status}`);
    const failed = errorSchema.safeParse(body);
    if (failed.success) throw toPlatformError(what, failed.data.error);
    return parseResponse(schema, what, body);
  };
}

function toPlatformError(what: string, { code, message }: z.output<typeof errorSchema>['error']) {
  switch (code) {
    case DATA_NOT_FOUND:
      return notFound(what);
    case QUOTA:
      return quotaSpent(`${what}: ${message}`, QUOTA_PAUSE_MS);
    case SERVICE_BUSY:
      return unavailable(`${what}: ${message}`);
    default:
      return badResponse(`${what}: error ${code} (${message})`);
  }
}
