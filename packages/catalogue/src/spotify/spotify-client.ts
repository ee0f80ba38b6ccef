import type { Observation, ReleaseState } from '@artist-watch/domain/catalogue';
import { asDirectReading, asObservation, catalogueState, orAbsent, settleArtist } from '../evidence.js';
import { artistFound, artistsFound } from '../found-artist.js';
import { PlatformHttp, type PlatformHttpOptions } from '../http/platform-http.js';
import { comesOut } from '../known.js';
import { KnownDisagreements, type WholeList } from '../list-pages.js';
import { badAnswer } from '../platform-error.js';
import {
  type ArtistFound,
  closerOf,
  type DirectOptions,
  type DirectReading,
  type FoundArtist,
  type PlatformClient,
  type ReadDepth,
  type ReadOptions,
  type Track,
  type TrackFound,
  type TracksFound,
} from '../port.js';
import { type Ask, CloserLook, withReadScope } from '../read-scope.js';
import { AuthorisedReader, type SpotifyCredentials } from './access-token.js';
import {
  artistSearchSchema,
  idSchema,
  type SpotifyAlbum,
  type SpotifyListedAlbum,
  type SpotifyListedTrack,
  type SpotifyTrack,
  searchSchema,
} from './answers.js';
import { Capability, interpretSpotify } from './interpret.js';
import { isHollow, lifeOfRelease, lifeOfTrack, readAlbums, readArtist, readTrack, readTracks } from './readings.js';
import { ALBUMS, readSeveral, type Several, TRACKS } from './several-readings.js';
import { artistState, releaseState, type SpotifyRelease, toTrack } from './to-state.js';

export interface SpotifyClientOptions extends Omit<PlatformHttpOptions, 'baseUrl'> {
  readonly credentials: SpotifyCredentials;
  /** `https://api.spotify.com` unless given. */
  readonly baseUrl?: string | undefined;
  /** `https://accounts.spotify.com` unless given. */
  readonly accountsUrl?: string | undefined;
  /** ISO 3166-1 alpha-2 codes of markets that are asked for what seems to be gone; `SPOTIFY_MARKETS` unless given. */
  readonly markets?: readonly string[] | undefined;
}

/** Large ones, with catalogues of their own. */
export const SPOTIFY_MARKETS = ['US', 'GB', 'DE', 'BR', 'JP', 'IN'] as const;

const SPOTIFY = 'https://api.spotify.com';
const ACCOUNTS = 'https://accounts.spotify.com';

/**
 * The most that a search gives apps in development mode, which are refused when they ask for more (hrkfdn/ncspot, issue
 * 1866). A recording is rarely on more releases, and a name rarely that of more artists.
 */
const SEARCH_LIMIT = 10;

/** Reads the Spotify Web API with the client-credentials flow: public data, no user. */
export class SpotifyClient implements PlatformClient {
  readonly platform = 'spotify';
  readonly sourceName = 'Spotify';
  readonly listsMarkets = true;
  readonly #options: SpotifyClientOptions;
  readonly #http: PlatformHttp;
  readonly #accounts: PlatformHttp;
  readonly #reader: AuthorisedReader;
  readonly #largePages: Capability;
  readonly #batches: Capability;
  readonly #disagreements = new KnownDisagreements();

  constructor(options: SpotifyClientOptions) {
    this.#options = options;
    this.#largePages = new Capability(options.clock);
    this.#batches = new Capability(options.clock);
    this.#http = new PlatformHttp({ ...options, baseUrl: options.baseUrl ?? SPOTIFY });
    this.#accounts = new PlatformHttp({ ...options, baseUrl: options.accountsUrl ?? ACCOUNTS });
    this.#reader = new AuthorisedReader(this.#http, this.#accounts, options.credentials, options.clock);
  }

  async readArtist(
    artistPlatformId: string,
    { depth, ...options }: ReadOptions & { readonly depth: ReadDepth },
  ): Promise<Observation> {
    return asObservation(
      this.#options.clock,
      withReadScope(this.#reader, options, async (ask) => {
        const settled = await settleArtist(
          artistPlatformId,
          (id) => readArtist(ask, id),
          readAlbums(ask, artistPlatformId, { largePages: this.#largePages, disagreements: this.#disagreements }),
        );
        if (settled === 'gone' || 'mergedInto' in settled) return settled;
        const { artist, listed } = settled;
        return catalogueState(artistState(artist), await this.#readReleases(ask, listed.items, depth), listed.unknown);
      }),
    );
  }

  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    { artistPlatformId, ...options }: DirectOptions,
  ): Promise<DirectReading> {
    const { clock, markets = SPOTIFY_MARKETS } = this.#options;
    const lifeOf = kind === 'track' ? lifeOfTrack : lifeOfRelease;
    return asDirectReading(
      withReadScope(this.#reader, options, (ask) =>
        lifeOf(ask, platformId, { markets, now: clock.now(), artistPlatformId }),
      ),
    );
  }

  async findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound> {
    if (!isSpotifyId(artistPlatformId)) return { kind: 'not_found' };
    const artist = await withReadScope(this.#reader, options, (ask) => orAbsent(readArtist(ask, artistPlatformId)));
    return artistFound('spotify', artistPlatformId, artist && artistState(artist));
  }

  async searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]> {
    return withReadScope(this.#reader, options, async (ask) => {
      const path = `/v1/search?q=${encodeURIComponent(name)}&type=artist&limit=${SEARCH_LIMIT}`;
      const request = { operation: 'artist search', path };
      const answer = await ask(request, interpretSpotify(artistSearchSchema, 'artist search'));
      return artistsFound('spotify', answer.artists.items.map(artistState));
    });
  }

  async lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound> {
    if (!isSpotifyId(trackPlatformId)) return { kind: 'not_found' };
    return withReadScope(this.#reader, options, async (ask) => {
      const track = await orAbsent(readTrack(ask, trackPlatformId));
      if (track === undefined || (track !== 'relinked' && isHollow(track))) return { kind: 'not_found' };
      if (track === 'relinked') throw badAnswer(`track ${trackPlatformId}: answered with another track`);
      const [found] = await this.#withReleases(ask, [track]);
      return { kind: 'found', track: found };
    });
  }

  /** Every release that the recording is on, at most ten of them. */
  async findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound> {
    return withReadScope(this.#reader, options, async (ask) => {
      const path = `/v1/search?q=${encodeURIComponent(`isrc:${isrc}`)}&type=track&limit=${SEARCH_LIMIT}`;
      const answer = await ask({ operation: 'search', path }, interpretSpotify(searchSchema, `isrc ${isrc}`));
      const { items, total } = answer.tracks;
      const shown = items.filter((track) => track !== null && !isHollow(track)) as SpotifyTrack[];
      // A search may answer with what is only like the code.
      const [first, ...others] = shown.filter((track) => track.external_ids?.isrc === isrc);
      if (first) return { kind: 'found', tracks: await this.#withReleases(ask, [first, ...others]) };
      const isUnclear = shown.some((track) => track.external_ids?.isrc === undefined);
      if (isUnclear || items.length < Math.min(total, SEARCH_LIMIT)) {
        throw badAnswer(`isrc ${isrc}: answered with tracks that show no ISRC, or with fewer than there are`);
      }
      return { kind: 'not_found' };
    });
  }

  close(): void {
    this.#http.close();
    this.#accounts.close();
  }

  async #readReleases(ask: Ask, listed: readonly SpotifyListedAlbum[], depth: ReadDepth): Promise<ReleaseState[]> {
    const look = new CloserLook();
    const several = { batches: this.#batches, look };
    const read = await readSeveral(ask, ALBUMS, closerOf(depth, listed).ids, several);
    const albums = [...read.values()].filter((album) => album !== undefined);
    const out = albums.filter(({ release_date }) => comesOut(release_date, this.#options.clock.now()) !== 'later');
    const trackLists = await look.parts(out, (album) => readTracks(ask, album, this.#disagreements));
    const trackIds = trackLists.flatMap((tracks) => (tracks?.items ?? []).map(({ id }) => id));
    const singly = await readSeveral(ask, TRACKS, trackIds, several);
    const listOf = new Map(out.map(({ id }, index) => [id, trackLists[index]]));
    const detailsOf = new Map(albums.map((album) => [album.id, detailsIn(album, listOf.get(album.id), singly)]));
    return listed.map((one) => releaseState(one, detailsOf.get(one.id)));
  }

  /** The release's code and label stand on the full album alone. */
  async #withReleases(
    ask: Ask,
    tracks: readonly [SpotifyTrack, ...SpotifyTrack[]],
  ): Promise<readonly [Track, ...Track[]]> {
    for (const track of tracks) if (track.name === undefined) throw badAnswer(`track ${track.id}: no name`);
    const ids = tracks.flatMap((track) => (track.album ? [track.album.id] : []));
    const albums = await readSeveral(ask, ALBUMS, ids, { batches: this.#batches });
    const [first, ...others] = tracks;
    const withRelease = (track: SpotifyTrack) => toTrack(track, track.album && albums.get(track.album.id));
    return [withRelease(first), ...others.map(withRelease)];
  }
}

function isSpotifyId(text: string): boolean {
  return idSchema.safeParse(text).success;
}

/**
 * The tracks are known where the list has any, and one of them could be read that says that the list is the release's own.
 * Of a track that could not be read by itself, only its code is unknown: where each costs a request, in development mode, one
 * of them often fails.
 */
function detailsIn(
  album: SpotifyAlbum,
  tracks: WholeList<SpotifyListedTrack> | undefined,
  singly: Several<SpotifyTrack>,
): SpotifyRelease {
  const isOwn = tracks?.items.some(({ id }) => singly.has(id));
  return {
    album,
    tracks: tracks && isOwn ? ownTracks(album.id, tracks.items, singly) : undefined,
    unknown: tracks?.unknown ?? 0,
    singly,
  };
}

/** A track names its release: a list that belongs to another one is found out. */
function ownTracks(
  releaseId: string,
  tracks: readonly SpotifyListedTrack[],
  singly: Several<SpotifyTrack>,
): readonly SpotifyListedTrack[] | undefined {
  const areOwn = tracks.every((track) => (singly.get(track.id)?.album?.id ?? releaseId) === releaseId);
  // A track that is read by itself is never another one, as one in a list may be.
  return areOwn ? tracks.map((track) => ({ ...singly.get(track.id), ...track })) : undefined;
}
