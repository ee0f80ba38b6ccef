import type { z } from 'zod';
import { checkCredits, type Relinked, undefinedIfGone, undefinedIfNotFound } from '../evidence.js';
import { releaseTiming } from '../known.js';
import {
  type ListMismatches,
  MATCHING_RELEASE_READS,
  MATCHING_TRACK_READS,
  readWholeList,
  type WholeList,
} from '../list-pages.js';
import type { DirectReading } from '../port.js';
import type { SendRequest } from '../read-scope.js';
import {
  albumSchema,
  artistSchema,
  type Capability,
  inMarketSchema,
  interpretSpotify,
  listedAlbumSchema,
  listedTrackSchema,
  pageSchema,
  REJECTED,
  rejectsPageSize,
  type SpotifyAlbum,
  type SpotifyArtist,
  type SpotifyListedAlbum,
  type SpotifyListedTrack,
  type SpotifyTrack,
  trackSchema,
  unlessRejected,
} from './responses.js';

/** The API rejects larger pages. */
const PAGE_SIZE = 50;

/** In development mode, Spotify rejects larger pages of an artist's releases. */
const SMALL_PAGE_SIZE = 10;

/** Omits the group `appears_on`, which contains guest appearances. */
const OWN_GROUPS = ['album', 'single', 'compilation'] as const;

const albumPageSchema = pageSchema(listedAlbumSchema);
const trackPageSchema = pageSchema(listedTrackSchema);

/** The response may be about a different artist. */
export const readArtist = (send: SendRequest, id: string): Promise<SpotifyArtist> =>
  requestOne(send, 'artists', artistSchema, id);
export const readAlbum = (send: SendRequest, id: string): Promise<SpotifyAlbum | Relinked> =>
  readOne(send, 'albums', albumSchema, id);
export const readTrack = (send: SendRequest, id: string): Promise<SpotifyTrack | Relinked> =>
  readOne(send, 'tracks', trackSchema, id);

type Kind = 'artists' | 'albums' | 'tracks';
type ThingSchema = z.ZodType<{ readonly id: string }>;

function requestOne<Schema extends ThingSchema>(
  send: SendRequest,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema>> {
  const request = { operation: kind, path: `/v1/${kind}/${encodeURIComponent(id)}` };
  return send(request, interpretSpotify(schema, `${kind} ${id}`));
}

async function readOne<Schema extends ThingSchema>(
  send: SendRequest,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema> | Relinked> {
  const response = await requestOne(send, kind, schema, id);
  return response.id === id ? response : 'relinked';
}

interface StatusOptions {
  readonly markets: readonly string[];
  readonly now: Date;
  readonly artistPlatformId?: string | undefined;
}

/** Spotify still returns some removed releases, but they aren't playable in any market. */
export async function readReleaseStatus(
  send: SendRequest,
  id: string,
  { markets, now, artistPlatformId }: StatusOptions,
): Promise<DirectReading> {
  const album = await undefinedIfGone(() => readAlbum(send, id));
  if (album === undefined) return 'gone';
  if (album === 'relinked') return 'unknown';
  const isThere = isSold(album) || releaseTiming(album.release_date, now) !== 'out';
  const status = isThere ? 'alive' : await readInMarkets(send, 'albums', album, markets);
  return checkCredits(status, album.artists, artistPlatformId);
}

export async function readTrackStatus(
  send: SendRequest,
  id: string,
  { markets, now }: StatusOptions,
): Promise<DirectReading> {
  const track = await undefinedIfGone(() => readTrack(send, id));
  if (track === undefined) return 'gone';
  if (track === 'relinked') return 'unknown';
  if (isSold(track) || releaseTiming(track.album?.release_date, now) !== 'out') return 'alive';
  return readInMarkets(send, 'tracks', track, markets);
}

function isSold({ available_markets: markets }: SpotifyAlbum | SpotifyTrack): boolean {
  return markets !== undefined && markets.length > 0;
}

/**
 * An entity is gone if it isn't playable in any market. Substitutes do not count, because they belong to other releases
 * (developer.spotify.com, "Track Relinking").
 */
async function readInMarkets(
  send: SendRequest,
  kind: 'albums' | 'tracks',
  { id, external_ids: codes }: SpotifyAlbum | SpotifyTrack,
  markets: readonly string[],
): Promise<DirectReading> {
  const isrc = codes && 'isrc' in codes ? codes.isrc : undefined;
  const what = `${kind} ${id}`;
  for (const market of markets) {
    const request = {
      operation: `${kind} in a market`,
      path: `/v1/${kind}/${encodeURIComponent(id)}?market=${market}`,
    };
    const found = await undefinedIfNotFound(send(request, interpretSpotify(inMarketSchema, what)));
    if (found === undefined) continue;
    // In development mode, `linked_from` is missing, but the substitute has the same ISRC.
    const isReplaced = found.linked_from?.id === id || (isrc !== undefined && found.external_ids?.isrc === isrc);
    if (found.id !== id && isReplaced) continue;
    if (found.id !== id) return 'unknown';
    if (found.is_playable ?? (await playsOwnTrack(send, found))) return 'alive';
  }
  return 'gone';
}

/**
 * Checks one of the release's tracks, because Spotify does not always say whether a release is playable in a market.
 */
async function playsOwnTrack(send: SendRequest, { id, tracks }: z.output<typeof inMarketSchema>): Promise<boolean> {
  const playable = tracks?.items.find((track) => track.is_playable === true && track.linked_from === undefined);
  if (playable === undefined) return false;
  const track = await undefinedIfNotFound(readTrack(send, playable.id));
  return typeof track === 'object' && (track.album?.id ?? id) === id;
}

/**
 * Does not send a market, because Spotify would then omit releases. Repeated reads request each group separately,
 * because the last page of one group can hide releases from the next.
 */
export function readAlbums(
  send: SendRequest,
  artistId: string,
  { largePages, mismatches }: { readonly largePages: Capability; readonly mismatches: ListMismatches },
): Promise<WholeList<SpotifyListedAlbum>> {
  const what = `releases of artist ${artistId}`;
  const interpret = interpretSpotify(albumPageSchema, what);
  const request = (groups: string, offset: number, limit: number) => {
    const query = `include_groups=${groups}&limit=${limit}&offset=${offset}`;
    return { operation: 'artist albums', path: `/v1/artists/${encodeURIComponent(artistId)}/albums?${query}` };
  };
  const readPage = async (offset: number, group: string = OWN_GROUPS.join(',')) => {
    const isTried = largePages.shouldTry;
    if (isTried) {
      const page = await send(request(group, offset, PAGE_SIZE), unlessRejected(rejectsPageSize, interpret));
      if (page !== REJECTED) return page;
    }
    const page = await send(request(group, offset, SMALL_PAGE_SIZE), interpret);
    if (isTried) largePages.markRejected();
    return page;
  };
  const list = { what, matchingReads: MATCHING_RELEASE_READS, idOf: (album: SpotifyListedAlbum) => album.id, readPage };
  return readWholeList({ ...list, parts: OWN_GROUPS }, mismatches);
}

/** A repeated read requests the first page again instead of using the one in the album response. */
export function readTracks(
  send: SendRequest,
  album: SpotifyAlbum,
  mismatches: ListMismatches,
): Promise<WholeList<SpotifyListedTrack>> {
  const what = `tracks of release ${album.id}`;
  let embedded = album.available_markets && album.tracks;
  const readPage = async (offset: number) => {
    const first = offset === 0 ? embedded : undefined;
    embedded = undefined;
    const path = `/v1/albums/${encodeURIComponent(album.id)}/tracks?limit=${PAGE_SIZE}&offset=${offset}`;
    const page = first ?? (await send({ operation: 'album tracks', path }, interpretSpotify(trackPageSchema, what)));
    return { ...page, items: page.items.map((track) => track && withoutSubstitute(track)) };
  };
  return readWholeList({ what, matchingReads: MATCHING_TRACK_READS, idOf: (track) => track.id, readPage }, mismatches);
}

/** All fields except the requested id describe the substitute. */
function withoutSubstitute(track: SpotifyListedTrack): SpotifyListedTrack {
  return track.linked_from ? { id: track.linked_from.id } : track;
}

/** Spotify keeps a stub of some removed tracks. */
export function isStub({ name, album }: SpotifyTrack): boolean {
  return name === undefined && album?.release_date === undefined && album?.images === undefined;
}
