import express, { type Request, type Response, Router } from 'express';
import { type PlatformContext, requestedPath } from '../platform-context.js';
import { type DistortableFields, type Json, type JsonObject, mapObjects, sendDistorted } from '../quirks/distort.js';
import { failLaterPage, isStillServed, maybeRelinked, misbehave } from '../quirks/misbehave.js';
import { type Places, showItems, withHiddenItems } from '../quirks/quirk-dice.js';
import { isUpcoming, type SimulatedRelease, type SimulatedTrack } from '../world/entities.js';
import { findArtists } from '../world/names.js';
import { sendSpotifyError, spotifyErrors } from './errors.js';
import { type PageLimits, readPaging } from './paging.js';
import {
  ALBUM_TRACKS_PER_PAGE,
  albumObject,
  artistObject,
  inDevelopmentMode,
  simplifiedAlbum,
  simplifiedTrack,
  trackObject,
} from './shapes.js';
import { SpotifyTokens } from './tokens.js';

const FIELDS: DistortableFields = {
  items: 'items',
  total: 'total',
  noPicture: {},
  nameFields: ['name'],
  hollow: { name: '', release_date: '0000', images: [] },
  mapLists,
  zeroFollowers: (artist) => ('followers' in artist ? { ...artist, followers: { href: null, total: 0 } } : artist),
};

const GROUPS = ['album', 'single', 'appears_on', 'compilation'] as const;
const LIST_LIMITS: PageLimits = { default: 20, max: 50 };
/** Used for an artist's releases in development mode. */
const SMALL_LIST_LIMITS: PageLimits = { default: 5, max: 10 };
const MAX_IDS = { albums: 20, tracks: 50, artists: 50 } as const;

export function spotifyRouter(context: PlatformContext): Router {
  const { world, dice } = context;
  const router = Router();
  const tokens = new SpotifyTokens(context.clock);

  router.use('/api/token', misbehave(context, spotifyErrors));
  router.post('/api/token', express.urlencoded({ extended: false }), tokens.issue);
  router.use('/v1', misbehave(context, spotifyErrors), tokens.check(context), (request, response, next) => {
    const ids = /^\/(?:artists|albums|tracks)\/([^/]+)/.exec(request.path)?.[1];
    if (ids !== undefined && !/^[0-9A-Za-z]{22}$/.test(ids))
      return sendSpotifyError(response, 400, 'Invalid base62 id');
    next();
  });

  router.get('/v1/artists/:id', (request, response) => {
    const artist = world.artist(request.params.id);
    if (!artist) return spotifyErrors.noData(response);
    if (artist.mergedInto !== undefined) return send(response, artistObject(world.known('artist', artist.mergedInto)));
    send(response, artistObject(maybeRelinked(context, response, artist, () => world.artists())));
  });

  router.get('/v1/artists/:id/albums', (request, response) => {
    const requested = world.artist(request.params.id);
    const id = requested?.mergedInto ?? request.params.id;
    const limits = isDevelopmentMode() ? SMALL_LIST_LIMITS : LIST_LIMITS;
    if (!world.artist(id)) {
      if (!dice.strike('emptyListOfUnknownArtist', requestedPath(response))) return spotifyErrors.noData(response);
      return sendList(request, response, [], limits);
    }
    const wanted = String(request.query.include_groups ?? GROUPS.join(',')).split(',');
    if (dice.strike('emptyList', requestedPath(response))) return sendList(request, response, [], limits);
    // Assigns hidden and repeated items to a group, so that the groups' totals add up.
    const own = withHiddenItems(dice, request.path, world.releasesOf(id)).map(
      (album) => [album ? releaseGroup(album) : 'album', album] as const,
    );
    const asGuest = wanted.includes('appears_on') ? world.releasesWithGuest(id) : [];
    const guest = asGuest.map((album) => ['appears_on', album] as const);
    const listed = [...own, ...guest]
      .filter(([group]) => wanted.includes(group))
      .sort(([a], [b]) => GROUPS.indexOf(a) - GROUPS.indexOf(b));
    const places = listed.map(([group, album]) => album && (() => simplifiedAlbum(world, album, group)));
    if (dice.strikeForKey('groupGap', request.path, id)) {
      const first = listed.filter(([group]) => group === listed[0]?.[0]).length;
      places.fill(undefined, first, first + (first % Number(request.query.limit ?? limits.default)));
    }
    sendPlaces(request, response, places, limits);
  });

  router.get('/v1/albums/:id', (request, response) => {
    const album = findAlbum(response, request.params.id);
    if (!album) return spotifyErrors.noData(response);
    sendIn(request, response, fullAlbum(response, album), album.removed);
  });

  router.get('/v1/albums/:id/tracks', (request, response) => {
    const album = findAlbum(response, request.params.id);
    if (!album) return spotifyErrors.noData(response);
    sendList(
      request,
      response,
      tracksOf(album).map((track) => () => simplifiedTrack(world, track)),
      LIST_LIMITS,
    );
  });

  router.get('/v1/tracks/:id', (request, response) => {
    const track = findTrack(response, request.params.id);
    if (!track) return spotifyErrors.noData(response);
    const isRemoved = track.removed || world.known('release', track.releaseId).removed;
    sendIn(request, response, trackObject(world, track), isRemoved);
  });

  router.get('/v1/albums', (request, response) =>
    sendSeveral(request, response, 'albums', (id) => {
      const album = findAlbum(response, id);
      return album ? fullAlbum(response, album) : null;
    }),
  );
  router.get('/v1/tracks', (request, response) =>
    sendSeveral(request, response, 'tracks', (id) => {
      const track = findTrack(response, id);
      return track ? trackObject(world, track) : null;
    }),
  );
  router.get('/v1/artists', (request, response) =>
    sendSeveral(request, response, 'artists', (id) => {
      const artist = world.artist(id);
      return artist ? artistObject(artist) : null;
    }),
  );

  router.get('/v1/search', (request, response) => {
    const { type } = request.query;
    const q = String(request.query.q ?? '').trim();
    if (q === '') return sendSpotifyError(response, 400, 'No search query');
    const paging = readPaging(request, { default: 5, max: isDevelopmentMode() ? 10 : 50 });
    if (!paging) return sendSpotifyError(response, 400, 'Invalid limit');
    if (type === 'artist') {
      const found = findArtists(world.artists(), q).map((artist) => () => artistObject(artist));
      return send(response, { artists: paging.page(found) });
    }
    const [, isrc] = /^isrc:(\S+)$/i.exec(q) ?? [];
    if (isrc === undefined || type !== 'track') {
      return sendSpotifyError(response, 400, 'The simulator supports only type=artist, and q=isrc:… with type=track');
    }
    const found = world.tracksByIsrc(isrc.toUpperCase()).map((track) => () => trackObject(world, track));
    send(response, { tracks: paging.page(found) });
  });

  router.use((_, response) => sendSpotifyError(response, 404, 'Service not found'));

  return router;

  function isDevelopmentMode(): boolean {
    return (dice.quirks.developmentMode?.probability ?? 0) > 0;
  }

  /**
   * If the request includes a `market`, Spotify returns `is_playable` instead of `available_markets`, and relinks
   * tracks that aren't playable there.
   */
  function sendIn(request: Request, response: Response, body: JsonObject, isRemoved: boolean): void {
    const { market } = request.query;
    const isElsewhere = isRemoved && dice.strikeForKey('recordingsElsewhere', request.path, String(body.id));
    const shownIn = (market: string) => (one: JsonObject) =>
      inMarket(isElsewhere ? relinkElsewhere(one, market) : one, market);
    send(response, typeof market === 'string' ? (mapObjects(body, shownIn(market)) as JsonObject) : body);
  }

  function send(response: Response, body: JsonObject): void {
    const hasNoMarkets = dice.strike('emptyMarkets', requestedPath(response)) !== undefined;
    const stale = dice.strike('staleMarkets', requestedPath(response));
    const shown = (market: Json) => !hasNoMarkets && !stale?.without.some((country) => country === market);
    const named = (one: JsonObject) =>
      Array.isArray(one.available_markets) ? { ...one, available_markets: one.available_markets.filter(shown) } : one;
    const worded = hasNoMarkets || stale ? mapObjects(body, named) : body;
    sendDistorted(context, response, (isDevelopmentMode() ? inDevelopmentMode(worded) : worded) as JsonObject, FIELDS);
  }

  function sendList(request: Request, response: Response, items: readonly (() => JsonObject)[], limits: PageLimits) {
    sendPlaces(request, response, withHiddenItems(dice, request.path, items), limits);
  }

  function sendPlaces(request: Request, response: Response, places: Places<() => JsonObject>, limits: PageLimits) {
    const isRepeated = dice.strike('repeatedPage', requestedPath(response)) !== undefined;
    const paging = readPaging(request, limits, isRepeated);
    if (!paging) return sendSpotifyError(response, 400, 'Invalid limit');
    if (paging.offset > 0 && failLaterPage(context, response, spotifyErrors)) return;
    send(response, paging.page(places));
  }

  function sendSeveral(request: Request, response: Response, kind: keyof typeof MAX_IDS, find: (id: string) => Json) {
    if (isDevelopmentMode()) return sendSpotifyError(response, 403, 'Forbidden');
    const ids = String(request.query.ids ?? '').split(',');
    if (ids.length > MAX_IDS[kind]) return sendSpotifyError(response, 400, 'Too many ids requested');
    if (ids.some((id) => !/^[0-9A-Za-z]{22}$/.test(id))) return sendSpotifyError(response, 400, 'invalid id');
    send(response, { [kind]: ids.map(find) });
  }

  function fullAlbum(response: Response, album: SimulatedRelease): JsonObject {
    const tracks = withHiddenItems(dice, `/v1/albums/${album.id}/tracks`, tracksOf(album));
    const list = `https://api.spotify.com/v1/albums/${album.id}/tracks`;
    const requested = requestedPath(response);
    const others = dice.strike('relinkedTracks', requested) && dice.random('relinkedTracks', requested);
    const items = showItems(tracks.slice(0, ALBUM_TRACKS_PER_PAGE), (track) => {
      const listed = simplifiedTrack(world, track);
      return others ? relink(listed, world.idOf('track', others.integer(10 ** 9, 2 * 10 ** 9))) : listed;
    });
    const hasMore = tracks.length > ALBUM_TRACKS_PER_PAGE;
    return albumObject(world, album, {
      href: `${list}?offset=0&limit=${ALBUM_TRACKS_PER_PAGE}`,
      limit: ALBUM_TRACKS_PER_PAGE,
      next: hasMore ? `${list}?offset=${ALBUM_TRACKS_PER_PAGE}&limit=${ALBUM_TRACKS_PER_PAGE}` : null,
      offset: 0,
      previous: null,
      total: tracks.length,
      items,
    });
  }

  /** Tracks on a removed or future release have no markets. */
  function tracksOf(album: SimulatedRelease): SimulatedTrack[] {
    const isNowhere = album.removed || isUnreleased(album);
    return world.tracksOf(album.id).map((track) => (isNowhere ? { ...track, markets: [] } : track));
  }

  function isUnreleased(album: SimulatedRelease): boolean {
    return Boolean(dice.quirks.unplayableUntilOut) && isUpcoming(album, context.clock.now());
  }

  function findAlbum(response: Response, id: string): SimulatedRelease | undefined {
    const requested = world.release(id);
    const removed = requested ? undefined : world.removedRelease(id);
    if (removed && isStillServed(context, response, id)) return { ...removed, markets: [] };
    if (requested?.relinkedTo !== undefined) return world.release(requested.relinkedTo);
    if (requested && isUnreleased(requested)) return { ...requested, markets: [] };
    return requested && maybeRelinked(context, response, requested, () => world.releasesOf(requested.artistId));
  }

  function findTrack(response: Response, id: string): SimulatedTrack | undefined {
    const requested = world.track(id);
    const removed = requested ? undefined : world.removedTrack(id);
    if (removed && isStillServed(context, response, id)) return { ...removed, markets: [] };
    if (requested && isUnreleased(world.known('release', requested.releaseId))) return { ...requested, markets: [] };
    return requested && maybeRelinked(context, response, requested, () => world.tracksOf(requested.releaseId));
  }
}

function inMarket(object: JsonObject, market: string): JsonObject {
  const { available_markets: markets, ...rest } = object;
  return Array.isArray(markets) ? { ...rest, is_playable: markets.includes(market) } : object;
}

/** Relinks tracks to another release, and removes the market list from releases. */
function relinkElsewhere(object: JsonObject, market: string): JsonObject {
  if (object.type === 'track') {
    const other = relink(object, String(object.id).split('').reverse().join(''));
    return { ...other, available_markets: [market] };
  }
  const { available_markets: _, ...rest } = object;
  return object.type === 'album' ? rest : object;
}

function relink(track: JsonObject, id: string): JsonObject {
  const { href = null, type = 'track', uri = null } = track;
  return {
    ...track,
    id,
    name: `${track.name} (Single Version)`,
    linked_from: { href, id: track.id ?? null, type, uri },
  };
}

function releaseGroup(album: SimulatedRelease): (typeof GROUPS)[number] {
  return album.type === 'ep' ? 'single' : album.type;
}

/** The body can be a list, search results, or one or more albums. */
function mapLists(body: JsonObject, change: (list: JsonObject) => JsonObject): JsonObject {
  if (Array.isArray(body.items)) return change(body);
  const { tracks, albums, artists } = body;
  if (isObject(tracks)) return { ...body, tracks: mapLists(tracks, change) };
  if (isObject(artists)) return { ...body, artists: mapLists(artists, change) };
  if (!Array.isArray(albums)) return body;
  return { ...body, albums: albums.map((album: Json) => (isObject(album) ? mapLists(album, change) : album)) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
