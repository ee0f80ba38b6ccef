import { type Json, type JsonObject, mapObjects } from '../quirks/distort.js';
import type { ReleaseType, SimulatedArtist, SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import type { World } from '../world/world.js';

/**
 * Objects have the same fields as in the Web API (developer.spotify.com/documentation/web-api), but nested objects are
 * simplified.
 */

const API = 'https://api.spotify.com/v1';

/** Spotify lists EPs as singles. */
const ALBUM_TYPES: Readonly<Record<ReleaseType, string>> = {
  album: 'album',
  single: 'single',
  ep: 'single',
  compilation: 'compilation',
};

/** A picture's URL contains 16 hex digits for the kind and size, followed by 24 for the content. */
const PICTURE_KINDS = {
  artist: [
    ['ab6761610000e5eb', 640],
    ['ab67616100005174', 320],
    ['ab6761610000f178', 160],
  ],
  cover: [
    ['ab67616d0000b273', 640],
    ['ab67616d00001e02', 300],
    ['ab67616d00004851', 64],
  ],
} as const;

export const CONTENT_ID_CHARS = 24;

export const ALBUM_TRACKS_PER_PAGE = 50;

export function artistObject(artist: SimulatedArtist): JsonObject {
  return {
    ...simplifiedArtist(artist),
    followers: { href: null, total: artist.followers },
    genres: [artist.genre.toLowerCase()],
    images: images('artist', artist.imageId),
    popularity: artist.followers % 101,
  };
}

/** @param group only set in an artist's list. */
export function simplifiedAlbum(world: World, album: SimulatedRelease, group?: string): JsonObject {
  return {
    album_type: ALBUM_TYPES[album.type],
    total_tracks: world.tracksOf(album.id).length,
    available_markets: [...album.markets],
    external_urls: { spotify: `https://open.spotify.com/album/${album.id}` },
    href: `${API}/albums/${album.id}`,
    id: album.id,
    images: images('cover', album.artworkId),
    name: album.title,
    release_date: album.releaseDate,
    release_date_precision: (['year', 'month', 'day'] as const)[album.releaseDate.split('-').length - 1] ?? 'day',
    type: 'album',
    uri: `spotify:album:${album.id}`,
    artists: credits(world, album.artistIds),
    ...(group !== undefined && { album_group: group }),
  };
}

/** @param firstTracks the first page of tracks, without ISRCs. */
export function albumObject(world: World, album: SimulatedRelease, firstTracks: JsonObject): JsonObject {
  return {
    ...simplifiedAlbum(world, album),
    tracks: firstTracks,
    copyrights: [{ text: `(P) ${album.releaseDate.slice(0, 4)} ${album.label}`, type: 'P' }],
    external_ids: { upc: album.upc },
    genres: [],
    label: album.label,
    popularity: Number.parseInt(album.artworkId.slice(0, 2), 16) % 101,
  };
}

export function simplifiedTrack(world: World, track: SimulatedTrack): JsonObject {
  return {
    artists: credits(world, track.artistIds),
    available_markets: [...track.markets],
    disc_number: track.disc,
    duration_ms: track.durationMs,
    explicit: track.explicit,
    external_urls: { spotify: `https://open.spotify.com/track/${track.id}` },
    href: `${API}/tracks/${track.id}`,
    id: track.id,
    name: track.version === '' ? track.title : `${track.title} ${track.version}`,
    preview_url: null,
    track_number: track.position,
    type: 'track',
    uri: `spotify:track:${track.id}`,
    is_local: false,
  };
}

export function trackObject(world: World, track: SimulatedTrack): JsonObject {
  return {
    ...simplifiedTrack(world, track),
    album: simplifiedAlbum(world, world.known('release', track.releaseId)),
    external_ids: { isrc: track.isrc },
    popularity: track.durationMs % 101,
  };
}

/**
 * Spotify removed these fields for apps in development mode in February 2026, but restored the ISRC and UPC in March.
 */
const EXTENDED_ONLY = new Set(['album_group', 'available_markets', 'followers', 'label', 'linked_from', 'popularity']);

export function inDevelopmentMode(value: Json): Json {
  const visible = (object: JsonObject) => Object.entries(object).filter(([key]) => !EXTENDED_ONLY.has(key));
  return mapObjects(value, (object) => Object.fromEntries(visible(object)));
}

function simplifiedArtist(artist: SimulatedArtist): JsonObject {
  return {
    external_urls: { spotify: `https://open.spotify.com/artist/${artist.id}` },
    href: `${API}/artists/${artist.id}`,
    id: artist.id,
    name: artist.name,
    type: 'artist',
    uri: `spotify:artist:${artist.id}`,
  };
}

function credits(world: World, artistIds: readonly string[]): Json[] {
  return artistIds.map((id) => simplifiedArtist(world.known('artist', id)));
}

function images(kind: keyof typeof PICTURE_KINDS, pictureId: string): Json[] {
  const contentId = pictureId.slice(0, CONTENT_ID_CHARS);
  return PICTURE_KINDS[kind].map(([prefix, pixels]) => ({
    height: pixels,
    url: `https://i.scdn.co/image/${prefix}${contentId}`,
    width: pixels,
  }));
}
