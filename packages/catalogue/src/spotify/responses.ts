import { z } from 'zod';
import { type JsonResponse, parseResponse } from '../http/platform-http.js';
import {
  known,
  knownCount,
  knownCountries,
  knownDate,
  knownFlag,
  knownIsrc,
  knownText,
  visibleText,
  withoutNull,
} from '../known.js';
import { nextOffset } from '../list-pages.js';
import { badResponse, notFound } from '../port.js';

/**
 * Only ids and totals are required, because several fields are absent in development mode
 * (developer.spotify.com/documentation/web-api).
 */

export const idSchema = z.string().regex(/^[0-9A-Za-z]{22}$/);

const credits = known(z.array(z.object({ id: idSchema, name: visibleText })).min(1));

/** A picture's URL ends with 16 digits for its kind and size, followed by 24 for its content. */
const picture = z
  .array(z.object({ url: z.string() }))
  .transform((images) => /\/image\/[0-9a-f]{16}([0-9a-f]{24})$/.exec(images[0]?.url ?? '')?.[1])
  .optional()
  .catch(undefined);

export const artistSchema = z.object({
  id: idSchema,
  name: knownText,
  images: picture,
  // Spotify returns 0 if it fails to count the followers.
  followers: known(z.object({ total: z.number().int().positive() })),
});

export const listedAlbumSchema = z.object({
  id: idSchema,
  name: knownText,
  album_type: knownText,
  release_date: knownDate,
  images: picture,
  available_markets: knownCountries,
  artists: credits,
});

export const listedTrackSchema = z.object({
  id: idSchema,
  name: knownText,
  disc_number: knownCount,
  track_number: knownCount,
  explicit: knownFlag,
  artists: credits,
  /** The requested track, if this track is a substitute for it. */
  linked_from: known(z.object({ id: idSchema })),
});

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item.nullable()), total: z.number().int().min(0), next: nextOffset('offset') });
}

export const albumSchema = listedAlbumSchema.extend({
  label: knownText,
  external_ids: known(z.object({ upc: knownText })),
  tracks: known(pageSchema(listedTrackSchema)),
});

export const trackSchema = listedTrackSchema.extend({
  duration_ms: knownCount,
  external_ids: known(z.object({ isrc: knownIsrc })),
  available_markets: knownCountries,
  album: known(listedAlbumSchema),
});

const inMarket = { id: idSchema, is_playable: knownFlag, linked_from: known(z.object({ id: idSchema })) };

export const inMarketSchema = z.object({
  ...inMarket,
  external_ids: known(z.object({ isrc: knownIsrc })),
  tracks: known(z.object({ items: withoutNull(z.object(inMarket)) })),
});

export const searchSchema = z.object({ tracks: pageSchema(trackSchema) });

export const artistSearchSchema = z.object({ artists: z.object({ items: withoutNull(artistSchema) }) });

/** In the same order as the requested ids. A missing entity is null. */
export const batchSchemas = {
  albums: z.object({ albums: z.array(albumSchema.nullable()) }).transform((answer) => answer.albums),
  tracks: z.object({ tracks: z.array(trackSchema.nullable()) }).transform((answer) => answer.tracks),
};

export const tokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

export type SpotifyArtist = z.output<typeof artistSchema>;
export type SpotifyListedAlbum = z.output<typeof listedAlbumSchema>;
export type SpotifyAlbum = z.output<typeof albumSchema>;
export type SpotifyListedTrack = z.output<typeof listedTrackSchema>;
export type SpotifyTrack = z.output<typeof trackSchema>;

/** A 404 without Spotify's error object comes from a gateway and proves nothing. */
const notFoundSchema = z.object({ error: z.object({ status: z.literal(404) }) });

export function interpretSpotify<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (response: JsonResponse) => z.output<Schema> {
  return ({ status, body }) => {
    if (status === 404 && notFoundSchema.safeParse(body).success) throw notFound(what);
    if (status !== 200) throw badResponse(`${what}: ${status}`);
    return parseResponse(schema, what, body);
  };
}

/** Since February 2026, Spotify rejects some kinds of request from apps in development mode. */
export const REJECTED = Symbol('rejected kind of request');

/** A rejected request is neither retried nor counted as an error. */
export function unlessRejected<Result>(
  isRejection: (response: JsonResponse) => boolean,
  interpret: (response: JsonResponse) => Result,
): (response: JsonResponse) => Result | typeof REJECTED {
  return (response) => (isRejection(response) ? REJECTED : interpret(response));
}

/** Spotify does not always say "Invalid limit", so any 400 may mean that the page is too large. */
export function rejectsPageSize({ status }: JsonResponse): boolean {
  return status === 400;
}

const forbiddenSchema = z.object({ error: z.object({ status: z.literal(403) }) });
const noSuchAddressSchema = z.object({
  error: z.object({ status: z.literal(404), message: z.literal('Service not found') }),
});

/** Ignores errors from a gateway and errors about one entity, because they may be temporary. */
export function rejectsBatch({ status, body }: JsonResponse): boolean {
  if (status === 403) return forbiddenSchema.safeParse(body).success;
  return status === 404 && noSuchAddressSchema.safeParse(body).success;
}

/** A rejection is forgotten after this time, because an app can enter extended quota mode at any time. */
const RETRY_AFTER_MS = 3_600_000;

/** Spotify does not reveal an app's mode, so we try a request and remember if it is rejected. */
export class Capability {
  readonly #clock: { now(): Date };
  #rejectedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: { now(): Date }) {
    this.#clock = clock;
  }

  get shouldTry(): boolean {
    return this.#clock.now().getTime() >= this.#rejectedUntilMs;
  }

  markRejected(): void {
    this.#rejectedUntilMs = this.#clock.now().getTime() + RETRY_AFTER_MS;
  }
}
