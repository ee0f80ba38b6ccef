import type { Observation } from '@artist-watch/domain/catalogue';
import { asDirectReading, asObservation, catalogueState, orAbsent, settleArtist, withCredits } from '../evidence.js';
import { artistFound, artistsFound } from '../found-artist.js';
import { PlatformHttp, type PlatformHttpOptions } from '../http/platform-http.js';
import { KnownDisagreements } from '../list-pages.js';
import { badAnswer } from '../platform-error.js';
import type {
  ArtistFound,
  DirectOptions,
  DirectReading,
  FoundArtist,
  PlatformClient,
  ReadDepth,
  ReadOptions,
  TrackFound,
  TracksFound,
} from '../port.js';
import { type Ask, withReadScope } from '../read-scope.js';
import { albumSchema, artistSchema, artistSearchSchema, idSchema, infosSchema, trackSchema } from './answers.js';
import { interpretDeezer } from './interpret.js';
import {
  askForOne,
  isHollow,
  lifeOf,
  lifeOfRelease,
  readAlbums,
  readOne,
  readReleases,
  withRelease,
} from './readings.js';
import { artistState } from './to-state.js';

export interface DeezerClientOptions extends Omit<PlatformHttpOptions, 'baseUrl'> {
  /** `https://api.deezer.com` unless given. */
  readonly baseUrl?: string | undefined;
  /**
   * ISO 3166-1 alpha-2 code of the country that our address is in. Deezer hides from the lists, and answers with "no
   * data" about, what is not sold in the country that it takes a caller to be in; an egress pool whose exit moves abroad
   * would look like mass removal, by both paths of rule R. With this set, each reading is bracketed by asking where we
   * are taken to be, and counts only when it is here. Leave it out where the address is fixed: it costs two requests.
   */
  readonly expectedCountry?: string | undefined;
}

const DEEZER = 'https://api.deezer.com';

/** As many as anybody reads through; the API answers up to 100. */
const SEARCH_LIMIT = 25;

/** Reads api.deezer.com, which needs no key. */
export class DeezerClient implements PlatformClient {
  readonly platform = 'deezer';
  readonly sourceName = 'Deezer';
  readonly listsMarkets = false;
  readonly #http: PlatformHttp;
  readonly #options: DeezerClientOptions;
  readonly #disagreements = new KnownDisagreements();

  constructor(options: DeezerClientOptions) {
    this.#options = options;
    this.#http = new PlatformHttp({ ...options, baseUrl: options.baseUrl ?? DEEZER });
  }

  async readArtist(
    artistPlatformId: string,
    { depth, ...options }: ReadOptions & { readonly depth: ReadDepth },
  ): Promise<Observation> {
    return asObservation(
      this.#options.clock,
      this.#readAtHome(options, async (ask) => {
        const settled = await settleArtist(
          artistPlatformId,
          (id) => askForOne(ask, 'artist', artistSchema, id),
          readAlbums(ask, artistPlatformId, this.#disagreements),
        );
        if (settled === 'gone' || 'mergedInto' in settled) return settled;
        const { artist, listed } = settled;
        const context = { disagreements: this.#disagreements, now: this.#options.clock.now() };
        return catalogueState(
          artistState(artist),
          await readReleases(ask, listed.items, depth, context),
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
    return asDirectReading(
      this.#readAtHome(options, async (ask) => {
        if (kind === 'track') {
          const track = await orAbsent(readOne(ask, 'track', trackSchema, platformId));
          return track === undefined ? 'gone' : lifeOf(track, now);
        }
        const album = await orAbsent(askForOne(ask, 'album', albumSchema, platformId));
        if (album === undefined) return 'gone';
        if (album.id !== platformId) return { relinkedTo: album.id };
        return withCredits(await lifeOfRelease(ask, album, now), album.contributors, artistPlatformId);
      }),
    );
  }

  async findArtist(artistPlatformId: string, options: ReadOptions): Promise<ArtistFound> {
    if (!isDeezerId(artistPlatformId)) return { kind: 'not_found' };
    const artist = await withReadScope(this.#http, options, (ask) =>
      orAbsent(askForOne(ask, 'artist', artistSchema, artistPlatformId)),
    );
    return artistFound('deezer', artistPlatformId, artist && artistState(artist));
  }

  async searchArtists(name: string, options: ReadOptions): Promise<readonly FoundArtist[]> {
    return withReadScope(this.#http, options, async (ask) => {
      const path = `/search/artist?q=${encodeURIComponent(name)}&limit=${SEARCH_LIMIT}`;
      const answer = await ask(
        { operation: 'artist search', path },
        interpretDeezer(artistSearchSchema, 'artist search'),
      );
      return artistsFound('deezer', answer.data.map(artistState));
    });
  }

  async lookupTrack(trackPlatformId: string, options: ReadOptions): Promise<TrackFound> {
    if (!isDeezerId(trackPlatformId)) return { kind: 'not_found' };
    return withReadScope(this.#http, options, async (ask) => {
      const track = await orAbsent(readOne(ask, 'track', trackSchema, trackPlatformId));
      if (track === undefined || (track !== 'relinked' && isHollow(track))) return { kind: 'not_found' };
      if (track === 'relinked') throw badAnswer(`track ${trackPlatformId}: answered with another track`);
      return { kind: 'found', track: await withRelease(ask, track) };
    });
  }

  /** Deezer names one track for an ISRC, whichever of its releases that is on. */
  async findTracksByIsrc(isrc: string, options: ReadOptions): Promise<TracksFound> {
    return withReadScope(this.#http, options, async (ask) => {
      const what = `track isrc:${isrc}`;
      const request = { operation: 'track by isrc', path: `/track/isrc:${encodeURIComponent(isrc)}` };
      const track = await orAbsent(ask(request, interpretDeezer(trackSchema, what)));
      if (track === undefined || isHollow(track)) return { kind: 'not_found' };
      if (track.isrc !== isrc) throw badAnswer(`${what}: answered with ${track.isrc}`);
      return { kind: 'found', tracks: [await withRelease(ask, track)] };
    });
  }

  close(): void {
    this.#http.close();
  }

  /** For what must not be answered as to a caller abroad. */
  #readAtHome<Result>(options: ReadOptions, work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return withReadScope(this.#http, options, async (ask) => {
      await this.#checkCountry(ask);
      const result = await work(ask);
      await this.#checkCountry(ask);
      return result;
    });
  }

  async #checkCountry(ask: Ask): Promise<void> {
    const { expectedCountry } = this.#options;
    if (expectedCountry === undefined) return;
    const { country_iso } = await ask({ operation: 'infos', path: '/infos' }, interpretDeezer(infosSchema, 'infos'));
    if (country_iso !== expectedCountry) throw badAnswer(`answered as to ${country_iso}, not ${expectedCountry}`);
  }
}

function isDeezerId(text: string): boolean {
  return idSchema.safeParse(text).success;
}
