import type { Observation } from '@artist-watch/domain/catalogue';
import {
  catalogueState,
  checkCredits,
  reconcileArtist,
  toDirectReading,
  toObservation,
  undefinedIfGone,
  undefinedIfNotFound,
} from '../evidence.js';
import { PlatformHttp, type PlatformHttpOptions } from '../http/platform-http.js';
import { toArtistFound, toFoundArtists } from '../known.js';
import { ListMismatches } from '../list-pages.js';
import {
  type ArtistFound,
  badResponse,
  type DirectOptions,
  type DirectReading,
  type FoundArtist,
  type PlatformClient,
  type ReadDepth,
  type ReadOptions,
  type TrackFound,
  type TracksFound,
} from '../port.js';
import { type SendRequest, withReadScope } from '../read-scope.js';
import {
  isStub,
  readAlbums,
  readOne,
  readReleaseStatus,
  readReleases,
  requestOne,
  trackStatus,
  withRelease,
} from './readings.js';
import {
  albumSchema,
  artistSchema,
  artistSearchSchema,
  artistState,
  idSchema,
  infosSchema,
  interpretDeezer,
  trackSchema,
} from './responses.js';

export interface DeezerClientOptions extends Omit<PlatformHttpOptions, 'baseUrl'> {
  readonly baseUrl?: string | undefined;
  /**
   * ISO 3166-1 alpha-2 code. Deezer hides releases that are not sold in our country, so a read from a different country
   * would look like a mass removal.
   */
  readonly expectedCountry?: string | undefined;
}

const DEEZER = 'https://api.deezer.com';

/** Few people read past this many results, although the API allows up to 100. */
const SEARCH_LIMIT = 25;

export class DeezerClient implements PlatformClient {
  readonly platform = 'deezer';
  readonly sourceName = 'Deezer';
  readonly listsMarkets = false;
  readonly #http: PlatformHttp;
  readonly #options: DeezerClientOptions;
  readonly #mismatches = new ListMismatches();

  constructor(options: DeezerClientOptions) {
    this.#options = options;
    this.#http = new PlatformHttp({ ...options, baseUrl: options.baseUrl ?? DEEZER });
  }

  async readArtist(
    artistPlatformId: string,
    { depth, ...options }: ReadOptions & { readonly depth: ReadDepth },
  ): Promise<Observation> {
    return toObservation(
      this.#options.clock,
      this.#readInCountry(options, async (send) => {
        const settled = await reconcileArtist(
          artistPlatformId,
          (id) => requestOne(send, 'artist', artistSchema, id),
          readAlbums(send, artistPlatformId, this.#mismatches),
        );
        if (settled === 'gone' || 'mergedInto' in settled) return settled;
        const { artist, listed } = settled;
        const context = { mismatches: this.#mismatches, now: this.#options.clock.now() };
        return catalogueState(
          artistState(artist),
          await readReleases(send, listed.items, depth, context),
          listed.unknown,
        );
      }),
    );
  }

  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    { artistPlatformId, ...options }: DirectOptions,
  ): Promise<DirectReading> {
    const now = this.#options.clock.now();
    return toDirectReading(
      this.#readInCountry(options, async (send) => {
        if (kind === 'track') {
          const track = await undefinedIfGone(() => readOne(send, 'track', trackSchema, platformId));
          return track === undefined ? 'gone' : trackStatus(track, now);
        }
        const album = await undefinedIfGone(() => requestOne(send, 'album', albumSchema, platformId));
        if (album === undefined) return 'gone';
        if (album.id !== platformId) return { relinkedTo: album.id };
        return checkCredits(await readReleaseStatus(send, album, now), album.contributors, artistPlatformId);
      }),
    );
  }

  async findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound> {
    if (!isDeezerId(artistPlatformId)) return { kind: 'not_found' };
    const artist = await withReadScope(this.#http, options, (send) =>
      undefinedIfNotFound(requestOne(send, 'artist', artistSchema, artistPlatformId)),
    );
    return toArtistFound('deezer', artistPlatformId, artist && artistState(artist));
  }

  async searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]> {
    return withReadScope(this.#http, options, async (send) => {
      const path = `/search/artist?q=${encodeURIComponent(name)}&limit=${SEARCH_LIMIT}`;
      const response = await send(
        { operation: 'artist search', path },
        interpretDeezer(artistSearchSchema, 'artist search'),
      );
      return toFoundArtists('deezer', response.data.map(artistState));
    });
  }

  async lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound> {
    if (!isDeezerId(trackPlatformId)) return { kind: 'not_found' };
    return withReadScope(this.#http, options, async (send) => {
      const track = await undefinedIfNotFound(readOne(send, 'track', trackSchema, trackPlatformId));
      if (track === undefined || (track !== 'relinked' && isStub(track))) return { kind: 'not_found' };
      if (track === 'relinked') throw badResponse(`track ${trackPlatformId}: the response is about a different track`);
      return { kind: 'found', track: await withRelease(send, track) };
    });
  }

  /** Deezer returns only one track per ISRC, and the track can be on any release. */
  async findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound> {
    return withReadScope(this.#http, options, async (send) => {
      const what = `track isrc:${isrc}`;
      const request = { operation: 'track by isrc', path: `/track/isrc:${encodeURIComponent(isrc)}` };
      const track = await undefinedIfNotFound(send(request, interpretDeezer(trackSchema, what)));
      if (track === undefined || isStub(track)) return { kind: 'not_found' };
      if (track.isrc !== isrc) throw badResponse(`${what}: the response has the ISRC ${track.isrc}`);
      return { kind: 'found', tracks: [await withRelease(send, track)] };
    });
  }

  close(): void {
    this.#http.close();
  }

  #readInCountry<Result>(options: ReadOptions, work: (send: SendRequest) => Promise<Result>): Promise<Result> {
    return withReadScope(this.#http, options, async (send) => {
      await this.#checkCountry(send);
      const result = await work(send);
      await this.#checkCountry(send);
      return result;
    });
  }

  async #checkCountry(send: SendRequest): Promise<void> {
    const { expectedCountry } = this.#options;
    if (expectedCountry === undefined) return;
    const { country_iso } = await send({ operation: 'infos', path: '/infos' }, interpretDeezer(infosSchema, 'infos'));
    if (country_iso !== expectedCountry)
      throw badResponse(`Deezer locates our IP address in ${country_iso} instead of ${expectedCountry}`);
  }
}

function isDeezerId(text: string): boolean {
  return idSchema.safeParse(text).success;
}
