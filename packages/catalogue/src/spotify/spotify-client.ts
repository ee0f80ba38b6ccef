import type { Observation, ReleaseState } from '@artist-watch/domain/catalogue';
import { catalogueState, reconcileArtist, toDirectReading, toObservation, undefinedIfNotFound } from '../evidence.js';
import { PlatformHttp, type PlatformHttpOptions } from '../http/platform-http.js';
import { releaseTiming, toArtistFound, toFoundArtists } from '../known.js';
import { ListMismatches, type WholeList } from '../list-pages.js';
import {
  type ArtistFound,
  badResponse,
  type DirectOptions,
  type DirectReading,
  type FoundArtist,
  type PlatformClient,
  planDetails,
  type ReadDepth,
  type ReadOptions,
  type Track,
  type TrackFound,
  type TracksFound,
} from '../port.js';
import { DetailedReads, type SendRequest, withReadScope } from '../read-scope.js';
import { AuthorisedReader, type SpotifyCredentials } from './access-token.js';
import { ALBUMS, readByIds, type ThingsById, TRACKS } from './batch-reads.js';
import {
  isStub,
  readAlbums,
  readArtist,
  readReleaseStatus,
  readTrack,
  readTrackStatus,
  readTracks,
} from './readings.js';
import {
  artistSearchSchema,
  Capability,
  idSchema,
  interpretSpotify,
  type SpotifyAlbum,
  type SpotifyListedAlbum,
  type SpotifyListedTrack,
  type SpotifyTrack,
  searchSchema,
} from './responses.js';
import { artistState, releaseState, type SpotifyRelease, toTrack } from './to-state.js';

export interface SpotifyClientOptions extends Omit<PlatformHttpOptions, 'baseUrl'> {
  readonly credentials: SpotifyCredentials;
  readonly baseUrl?: string | undefined;
  readonly accountsUrl?: string | undefined;
  readonly markets?: readonly string[] | undefined;
}

/** Large markets with different catalogues. */
export const SPOTIFY_MARKETS = ['US', 'GB', 'DE', 'BR', 'JP', 'IN'] as const;

const SPOTIFY = 'https://api.spotify.com';
const ACCOUNTS = 'https://accounts.spotify.com';

/** The API returns at most this many results in development mode (hrkfdn/ncspot, issue 1866). */
const SEARCH_LIMIT = 10;

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
  readonly #mismatches = new ListMismatches();

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
    return toObservation(
      this.#options.clock,
      withReadScope(this.#reader, options, async (send) => {
        const settled = await reconcileArtist(
          artistPlatformId,
          (id) => readArtist(send, id),
          readAlbums(send, artistPlatformId, { largePages: this.#largePages, mismatches: this.#mismatches }),
        );
        if (settled === 'gone' || 'mergedInto' in settled) return settled;
        const { artist, listed } = settled;
        return catalogueState(artistState(artist), await this.#readReleases(send, listed.items, depth), listed.unknown);
      }),
    );
  }

  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    { artistPlatformId, ...options }: DirectOptions,
  ): Promise<DirectReading> {
    const { clock, markets = SPOTIFY_MARKETS } = this.#options;
    const readStatus = kind === 'track' ? readTrackStatus : readReleaseStatus;
    return toDirectReading(
      withReadScope(this.#reader, options, (send) =>
        readStatus(send, platformId, { markets, now: clock.now(), artistPlatformId }),
      ),
    );
  }

  async findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound> {
    if (!isSpotifyId(artistPlatformId)) return { kind: 'not_found' };
    const artist = await withReadScope(this.#reader, options, (send) =>
      undefinedIfNotFound(readArtist(send, artistPlatformId)),
    );
    return toArtistFound('spotify', artistPlatformId, artist && artistState(artist));
  }

  async searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]> {
    return withReadScope(this.#reader, options, async (send) => {
      const path = `/v1/search?q=${encodeURIComponent(name)}&type=artist&limit=${SEARCH_LIMIT}`;
      const request = { operation: 'artist search', path };
      const response = await send(request, interpretSpotify(artistSearchSchema, 'artist search'));
      return toFoundArtists('spotify', response.artists.items.map(artistState));
    });
  }

  async lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound> {
    if (!isSpotifyId(trackPlatformId)) return { kind: 'not_found' };
    return withReadScope(this.#reader, options, async (send) => {
      const track = await undefinedIfNotFound(readTrack(send, trackPlatformId));
      if (track === undefined || (track !== 'relinked' && isStub(track))) return { kind: 'not_found' };
      if (track === 'relinked') throw badResponse(`track ${trackPlatformId}: the response is about a different track`);
      const [found] = await this.#withReleases(send, [track]);
      return { kind: 'found', track: found };
    });
  }

  /** Returns at most ten tracks, one for each release that contains the recording. */
  async findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound> {
    return withReadScope(this.#reader, options, async (send) => {
      const path = `/v1/search?q=${encodeURIComponent(`isrc:${isrc}`)}&type=track&limit=${SEARCH_LIMIT}`;
      const response = await send({ operation: 'search', path }, interpretSpotify(searchSchema, `isrc ${isrc}`));
      const { items, total } = response.tracks;
      const shown = items.filter((track) => track !== null && !isStub(track)) as SpotifyTrack[];
      // The search also returns tracks with similar ISRCs.
      const [first, ...others] = shown.filter((track) => track.external_ids?.isrc === isrc);
      if (first) return { kind: 'found', tracks: await this.#withReleases(send, [first, ...others]) };
      const isUnclear = shown.some((track) => track.external_ids?.isrc === undefined);
      if (isUnclear || items.length < Math.min(total, SEARCH_LIMIT)) {
        throw badResponse(`isrc ${isrc}: the response is incomplete, or its tracks have no ISRC`);
      }
      return { kind: 'not_found' };
    });
  }

  close(): void {
    this.#http.close();
    this.#accounts.close();
  }

  async #readReleases(
    send: SendRequest,
    listed: readonly SpotifyListedAlbum[],
    depth: ReadDepth,
  ): Promise<ReleaseState[]> {
    const details = new DetailedReads();
    const several = { batches: this.#batches, details };
    const read = await readByIds(send, ALBUMS, planDetails(depth, listed).ids, several);
    const albums = [...read.values()].filter((album) => album !== undefined);
    const out = albums.filter(({ release_date }) => releaseTiming(release_date, this.#options.clock.now()) !== 'later');
    const trackLists = await details.readAll(out, (album) => readTracks(send, album, this.#mismatches));
    const trackIds = trackLists.flatMap((tracks) => (tracks?.items ?? []).map(({ id }) => id));
    const trackDetails = await readByIds(send, TRACKS, trackIds, several);
    const listOf = new Map(out.map(({ id }, index) => [id, trackLists[index]]));
    const detailsOf = new Map(
      albums.map((album) => [album.id, releaseDetails(album, listOf.get(album.id), trackDetails)]),
    );
    return listed.map((one) => releaseState(one, detailsOf.get(one.id)));
  }

  async #withReleases(
    send: SendRequest,
    tracks: readonly [SpotifyTrack, ...SpotifyTrack[]],
  ): Promise<readonly [Track, ...Track[]]> {
    for (const track of tracks) if (track.name === undefined) throw badResponse(`track ${track.id}: no name`);
    const ids = tracks.flatMap((track) => (track.album ? [track.album.id] : []));
    const albums = await readByIds(send, ALBUMS, ids, { batches: this.#batches });
    const [first, ...others] = tracks;
    const withRelease = (track: SpotifyTrack) => toTrack(track, track.album && albums.get(track.album.id));
    return [withRelease(first), ...others.map(withRelease)];
  }
}

function isSpotifyId(text: string): boolean {
  return idSchema.safeParse(text).success;
}

/**
 * Ignores a track list if none of its tracks was read individually, because the list may belong to a different release.
 */
function releaseDetails(
  album: SpotifyAlbum,
  tracks: WholeList<SpotifyListedTrack> | undefined,
  trackDetails: ThingsById<SpotifyTrack>,
): SpotifyRelease {
  const isOwn = tracks?.items.some(({ id }) => trackDetails.has(id));
  return {
    album,
    tracks: tracks && isOwn ? ownTracks(album.id, tracks.items, trackDetails) : undefined,
    unknown: tracks?.unknown ?? 0,
    trackDetails,
  };
}

function ownTracks(
  releaseId: string,
  tracks: readonly SpotifyListedTrack[],
  trackDetails: ThingsById<SpotifyTrack>,
): readonly SpotifyListedTrack[] | undefined {
  const areOwn = tracks.every((track) => (trackDetails.get(track.id)?.album?.id ?? releaseId) === releaseId);
  // A track that was read individually is never a substitute, so it has the fields that a substitute's list entry
  // omits.
  return areOwn ? tracks.map((track) => ({ ...trackDetails.get(track.id), ...track })) : undefined;
}
