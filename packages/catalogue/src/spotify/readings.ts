import type { z } from 'zod';
import { orAbsent, type Relinked, withCredits } from '../evidence.js';
import { comesOut } from '../known.js';
import {
  type KnownDisagreements,
  RELEASES_AGREEING,
  readWholeList,
  TRACKS_AGREEING,
  type WholeList,
} from '../list-pages.js';
import type { DirectReading } from '../port.js';
import type { Ask } from '../read-scope.js';
import {
  albumSchema,
  artistSchema,
  inMarketSchema,
  listedAlbumSchema,
  listedTrackSchema,
  pageSchema,
  type SpotifyAlbum,
  type SpotifyArtist,
  type SpotifyListedAlbum,
  type SpotifyListedTrack,
  type SpotifyTrack,
  trackSchema,
} from './answers.js';
import { type Capability, interpretSpotify, REFUSED, refusesPageSize, unlessRefused } from './interpret.js';

/** How Spotify's things are asked for, one by one and as whole lists. */

/** The most that the Web API takes for a page; more is refused, not capped. */
const PAGE_SIZE = 50;

/** The most that it takes for a page of an artist's releases from apps in development mode. */
const SMALL_PAGE_SIZE = 10;

/** The artist's own releases; those on which the artist is a guest belong to others. */
const OWN_GROUPS = ['album', 'single', 'compilation'] as const;

const albumPageSchema = pageSchema(listedAlbumSchema);
const trackPageSchema = pageSchema(listedTrackSchema);

/** The platform's answer about an id. It may be another artist. */
export const readArtist = (ask: Ask, id: string): Promise<SpotifyArtist> => askForOne(ask, 'artists', artistSchema, id);
export const readAlbum = (ask: Ask, id: string): Promise<SpotifyAlbum | Relinked> =>
  readOne(ask, 'albums', albumSchema, id);
export const readTrack = (ask: Ask, id: string): Promise<SpotifyTrack | Relinked> =>
  readOne(ask, 'tracks', trackSchema, id);

type Kind = 'artists' | 'albums' | 'tracks';
type ThingSchema = z.ZodType<{ readonly id: string }>;

function askForOne<Schema extends ThingSchema>(
  ask: Ask,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema>> {
  const request = { operation: kind, path: `/v1/${kind}/${encodeURIComponent(id)}` };
  return ask(request, interpretSpotify(schema, `${kind} ${id}`));
}

async function readOne<Schema extends ThingSchema>(
  ask: Ask,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema> | Relinked> {
  const answer = await askForOne(ask, kind, schema, id);
  return answer.id === id ? answer : 'relinked';
}

interface LifeOptions {
  /** Those that are asked for what names none. */
  readonly markets: readonly string[];
  readonly now: Date;
  /** The artist from whose list a release is missing. */
  readonly artistPlatformId?: string | undefined;
}

/** What was taken down may still be answered under its id, with everything but a market that can play it. */
export async function lifeOfRelease(
  ask: Ask,
  id: string,
  { markets, now, artistPlatformId }: LifeOptions,
): Promise<DirectReading> {
  const album = await orAbsent(readAlbum(ask, id));
  if (album === undefined) return 'gone';
  if (album === 'relinked') return 'unknown';
  const isThere = isSold(album) || comesOut(album.release_date, now) !== 'is out';
  const life = isThere ? 'alive' : await readInMarkets(ask, 'albums', album, markets);
  return withCredits(life, album.artists, artistPlatformId);
}

export async function lifeOfTrack(ask: Ask, id: string, { markets, now }: LifeOptions): Promise<DirectReading> {
  const track = await orAbsent(readTrack(ask, id));
  if (track === undefined) return 'gone';
  if (track === 'relinked') return 'unknown';
  if (isSold(track) || comesOut(track.album?.release_date, now) !== 'is out') return 'alive';
  return readInMarkets(ask, 'tracks', track, markets);
}

function isSold({ available_markets: markets }: SpotifyAlbum | SpotifyTrack): boolean {
  return markets !== undefined && markets.length > 0;
}

/**
 * What becomes of something that Spotify still answers for, but of which it names no market: that may be because it is
 * gone, because the app is in development mode, or for no reason at all. It is gone when no market can play it.
 *
 * A market may be given another track in place of one that it cannot play (developer.spotify.com, "Track Relinking"). That
 * keeps nothing alive: it belongs to another release.
 */
async function readInMarkets(
  ask: Ask,
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
    const found = await orAbsent(ask(request, interpretSpotify(inMarketSchema, what)));
    if (found === undefined) continue;
    // Apps in development mode are not told of what was replaced, but it is the same recording.
    const isReplaced = found.linked_from?.id === id || (isrc !== undefined && found.external_ids?.isrc === isrc);
    if (found.id !== id && isReplaced) continue;
    if (found.id !== id) return 'unknown';
    if (found.is_playable ?? (await playsOwnTrack(ask, found))) return 'alive';
  }
  return 'gone';
}

/** For a release of which a market does not say whether it can be played: whether a track can be that names this release. */
async function playsOwnTrack(ask: Ask, { id, tracks }: z.output<typeof inMarketSchema>): Promise<boolean> {
  const playable = tracks?.items.find((track) => track.is_playable === true && track.linked_from === undefined);
  if (playable === undefined) return false;
  const track = await orAbsent(readTrack(ask, playable.id));
  return typeof track === 'object' && (track.album?.id ?? id) === id;
}

/**
 * No market is given: with one, Spotify hides what is not sold there and answers ids with others that are. Where the
 * groups are read as one list, the last page of a group may leave no place for the next group, whose first releases are
 * skipped then; in a list of its own no group lacks anything.
 */
export function readAlbums(
  ask: Ask,
  artistId: string,
  { largePages, disagreements }: { readonly largePages: Capability; readonly disagreements: KnownDisagreements },
): Promise<WholeList<SpotifyListedAlbum>> {
  const what = `releases of artist ${artistId}`;
  const interpret = interpretSpotify(albumPageSchema, what);
  const request = (groups: string, offset: number, limit: number) => {
    const query = `include_groups=${groups}&limit=${limit}&offset=${offset}`;
    return { operation: 'artist albums', path: `/v1/artists/${encodeURIComponent(artistId)}/albums?${query}` };
  };
  const readPage = async (offset: number, group: string = OWN_GROUPS.join(',')) => {
    const isTried = largePages.mayBeTried;
    if (isTried) {
      const page = await ask(request(group, offset, PAGE_SIZE), unlessRefused(refusesPageSize, interpret));
      if (page !== REFUSED) return page;
    }
    const page = await ask(request(group, offset, SMALL_PAGE_SIZE), interpret);
    if (isTried) largePages.refused();
    return page;
  };
  const list = { what, agreeing: RELEASES_AGREEING, idOf: (album: SpotifyListedAlbum) => album.id, readPage };
  return readWholeList({ ...list, parts: OWN_GROUPS }, disagreements);
}

/**
 * The first page comes with the album itself, and is used once: a list that is read again is asked for again. Spotify
 * may name there other tracks in place of those of the album, without being asked for a market, and says so; where
 * markets are hidden (in development mode), that is hidden as well, and the list by itself is asked for.
 */
export function readTracks(
  ask: Ask,
  album: SpotifyAlbum,
  disagreements: KnownDisagreements,
): Promise<WholeList<SpotifyListedTrack>> {
  const what = `tracks of release ${album.id}`;
  let embedded = album.available_markets && album.tracks;
  const readPage = async (offset: number) => {
    const first = offset === 0 ? embedded : undefined;
    embedded = undefined;
    const path = `/v1/albums/${encodeURIComponent(album.id)}/tracks?limit=${PAGE_SIZE}&offset=${offset}`;
    const page = first ?? (await ask({ operation: 'album tracks', path }, interpretSpotify(trackPageSchema, what)));
    return { ...page, items: page.items.map((track) => track && asListed(track)) };
  };
  return readWholeList({ what, agreeing: TRACKS_AGREEING, idOf: (track) => track.id, readPage }, disagreements);
}

/** Of a track in whose place another one stands, its id is known here: the rest is said of the other. */
function asListed(track: SpotifyListedTrack): SpotifyListedTrack {
  return track.linked_from ? { id: track.linked_from.id } : track;
}

/** What is left of a track that was taken down: no name, no date, no picture. */
export function isHollow({ name, album }: SpotifyTrack): boolean {
  return name === undefined && album?.release_date === undefined && album?.images === undefined;
}
