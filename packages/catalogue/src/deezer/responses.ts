import type { CatalogueState, Credit, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';
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
  pictureIdIn,
  placesOverDiscs,
  visibleText,
  withoutNull,
} from '../known.js';
import { nextOffset } from '../list-pages.js';
import { badResponse, notFound, quotaSpent, type Track, type TrackRelease, unavailable } from '../port.js';

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

type DeezerArtist = z.output<typeof artistSchema>;
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

export interface DeezerRelease {
  readonly album: DeezerAlbum;
  /** The tracks are unknown if the list is empty or the release is not out yet. */
  readonly tracks: readonly DeezerListedTrack[] | undefined;
  readonly unknown: number;
  /** A value is undefined if Deezer returned a different track. */
  readonly trackDetails: ReadonlyMap<string, DeezerTrack | undefined>;
  readonly full: boolean;
}

export function artistState(artist: DeezerArtist): CatalogueState['artist'] {
  return {
    platformId: artist.id,
    name: artist.name,
    imageId: artist.picture_xl ?? artist.picture_medium,
    followers: artist.nb_fan,
    monthlyListeners: undefined,
  };
}

export function releaseState(listed: DeezerListedAlbum, details: DeezerRelease | undefined): ReleaseState {
  return {
    platformId: listed.id,
    title: listed.title ?? details?.album.title,
    type: releaseType(listed.record_type ?? details?.album.record_type),
    releaseDate: listed.release_date ?? details?.album.release_date,
    artworkId: listed.md5_image ?? details?.album.md5_image,
    explicit: listed.explicit_lyrics ?? details?.album.explicit_lyrics,
    label: details?.album.label,
    upc: details?.album.upc,
    credits: details?.album.contributors?.map(toCredit),
    markets: details?.full ? marketsOf(details.tracks?.map(({ id }) => details.trackDetails.get(id))) : undefined,
    tracks: details?.tracks && trackStates(details.tracks, details.trackDetails),
    ...(details && details.unknown > 0 && { unknownTracks: details.unknown }),
  };
}

function trackStates(tracks: readonly DeezerListedTrack[], trackDetails: DeezerRelease['trackDetails']): TrackState[] {
  const places = placesOverDiscs(tracks.map((track) => ({ disc: track.disk_number, place: track.track_position })));
  return tracks.map((track, index) => ({
    platformId: track.id,
    title: track.title,
    isrc: track.isrc,
    position: places[index],
    explicit: track.explicit_lyrics,
    // Track lists name only the main artist, so featured artists would look removed.
    credits: trackDetails.get(track.id)?.contributors?.map(toCredit),
  }));
}

/** Returns undefined if the markets of any track are unknown. */
function marketsOf(tracks: readonly (DeezerTrack | undefined)[] | undefined): string[] | undefined {
  const markets = new Set<string>();
  for (const track of tracks ?? []) {
    if (track?.available_countries === undefined) return undefined;
    for (const country of track.available_countries) markets.add(country);
  }
  return markets.size === 0 ? undefined : [...markets].sort();
}

export function toTrack(track: DeezerTrack, album: DeezerAlbum | undefined): Track {
  const artists = track.contributors ?? (track.artist ? [track.artist] : []);
  return {
    platformId: track.id,
    name: track.title ?? '',
    url: `https://www.deezer.com/track/${track.id}`,
    isrc: track.isrc,
    durationMs: track.duration === undefined ? undefined : track.duration * 1_000,
    explicit: track.explicit_lyrics,
    artists: artists.map((artist) => ({ platformId: artist.id, name: artist.name })),
    release: toTrackRelease(track.album, album),
  };
}

function toTrackRelease(brief: DeezerTrack['album'], album: DeezerAlbum | undefined): TrackRelease | undefined {
  if (!brief) return undefined;
  return {
    platformId: brief.id,
    name: brief.title ?? album?.title,
    type: releaseType(album?.record_type),
    releaseDate: album?.release_date ?? brief.release_date,
    upc: album?.upc,
    label: album?.label,
  };
}

function toCredit({ id, name }: { readonly id: string; readonly name: string }): Credit {
  return { platformId: id, name };
}

function releaseType(recordType: string | undefined): string | undefined {
  const type = recordType?.toLowerCase();
  return type === 'compile' ? 'compilation' : type;
}
