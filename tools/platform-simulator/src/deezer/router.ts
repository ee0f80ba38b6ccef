import { type Request, type Response, Router } from 'express';
import { clientCountry, type ErrorFormat, type PlatformContext, requestedPath } from '../platform-context.js';
import { type DistortableFields, type JsonObject, mapObjects, sendDistorted } from '../quirks/distort.js';
import { failLaterPage, isStillServed, maybeRelinked, misbehave } from '../quirks/misbehave.js';
import { showItems, withHiddenItems } from '../quirks/quirk-dice.js';
import {
  isUpcoming,
  RELEASE_TYPES,
  type SimulatedArtist,
  type SimulatedRelease,
  type SimulatedTrack,
} from '../world/entities.js';
import { findArtists } from '../world/names.js';
import {
  albumInList,
  albumObject,
  artistInSearch,
  artistObject,
  infosObject,
  trackInList,
  trackObject,
} from './shapes.js';

/** Deezer sends errors with status 200 (developers.deezer.com/api/errors). */
function sendError(response: Response, type: string, message: string, code: number): void {
  response
    .status(200)
    .type('json')
    .send(JSON.stringify({ error: { type, message, code } }));
}

export const deezerErrors: ErrorFormat = {
  noData: (response) => sendError(response, 'DataException', 'no data', 800),
  // Like the real API, sends no Retry-After header.
  quota: (response) => sendError(response, 'Exception', 'Quota limit exceeded', 4),
  busy: (response) => sendError(response, 'Exception', 'Service busy', 700),
};

function sendUnknownPath(response: Response, path: string): void {
  sendError(response, 'InvalidQueryException', `Unknown path components : ${path}`, 600);
}

function sendMissingParameter(response: Response, name: string): void {
  sendError(response, 'MissingParameterException', `Missing parameters: ${name}`, 501);
}

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

const FIELDS: DistortableFields = {
  items: 'data',
  total: 'total',
  noPicture: { md5_image: 'd41d8cd98f00b204e9800998ecf8427e' },
  nameFields: ['title', 'name'],
  hollow: { title: '', title_short: '', release_date: '0000-00-00', md5_image: '' },
  mapLists: (body, change) => (Array.isArray(body.data) ? change(body) : body),
  zeroFollowers: (artist) => ('nb_fan' in artist ? { ...artist, nb_fan: 0 } : artist),
};

export function deezerRouter(context: PlatformContext): Router {
  const { world, dice } = context;
  const router = Router();
  const send = (response: Response, body: JsonObject) => {
    const requested = requestedPath(response);
    const isText = dice.strike('textDurations', requested) !== undefined;
    const isUnreadable = dice.strike('unreadableTracks', requested) !== undefined;
    const worded = (object: JsonObject) => ({
      ...object,
      ...(isText && 'duration' in object && { duration: String(object.duration) }),
      ...(isUnreadable && 'readable' in object && { readable: false }),
    });
    const answer = isText || isUnreadable ? (mapObjects(body, worded) as JsonObject) : body;
    sendDistorted(context, response, answer, FIELDS);
  };

  router.use(misbehave(context, deezerErrors));

  router.get('/infos', (request, response) => send(response, infosObject(clientCountry(context, request, response))));

  router.get('/artist/:id', (request, response) => {
    const artist = world.artist(request.params.id);
    if (!artist) return deezerErrors.noData(response);
    send(response, artistObject(world, answeredArtist(response, artist)));
  });

  router.get('/search/artist', (request, response) => {
    const { q } = request.query;
    if (typeof q !== 'string' || q === '') return sendMissingParameter(response, 'q');
    const found = findArtists(world.artists(), q).map((artist) => () => artistInSearch(world, artist));
    sendPage(request, response, found);
  });

  router.get('/artist/:id/albums', (request, response) => {
    const requested = world.artist(request.params.id);
    const artist = requested?.mergedInto === undefined ? requested : world.artist(requested.mergedInto);
    if (!artist || dice.strike('emptyList', requestedPath(response))) return send(response, { data: [], total: 0 });
    const country = clientCountry(context, request, response);
    const albums = world
      .releasesOf(artist.id)
      .filter((album) => album.markets.includes(country))
      .sort((a, b) => RELEASE_TYPES.indexOf(a.type) - RELEASE_TYPES.indexOf(b.type));
    sendPage(
      request,
      response,
      albums.map((album) => () => albumInList(world, album)),
    );
  });

  router.get('/album/:id', (request, response) => {
    const album = findAlbum(request, response);
    if (!album) return deezerErrors.noData(response);
    send(response, albumObject(world, album, tracksOf(response, album)));
  });

  router.get('/album/:id/tracks', (request, response) => {
    const album = findAlbum(request, response);
    if (!album) return deezerErrors.noData(response);
    sendPage(
      request,
      response,
      tracksOf(response, album).map((track) => () => trackInList(world, track)),
    );
  });

  router.get('/track/:id', (request, response) => {
    const track = findTrack(request, response);
    if (!track) return deezerErrors.noData(response);
    send(response, trackObject(world, track));
  });

  router.use((request, response) => sendUnknownPath(response, request.path));

  return router;

  function answeredArtist(response: Response, artist: SimulatedArtist): SimulatedArtist {
    if (artist.mergedInto !== undefined) return world.known('artist', artist.mergedInto);
    return maybeRelinked(context, response, artist, () => world.artists());
  }

  function findAlbum(request: Request<{ id: string }>, response: Response): SimulatedRelease | undefined {
    const { id } = request.params;
    const requested = id.startsWith('upc:') ? world.releaseByUpc(id.slice('upc:'.length)) : world.release(id);
    if (requested && !requested.markets.includes(clientCountry(context, request, response))) return undefined;
    const removed = requested ? undefined : world.removedRelease(id);
    const relinkedTo = (requested ?? removed)?.relinkedTo;
    if (relinkedTo !== undefined) return world.release(relinkedTo);
    if (removed && isStillServed(context, response, removed.id)) return removed;
    return requested && maybeRelinked(context, response, requested, () => world.releasesOf(requested.artistId));
  }

  function findTrack(request: Request<{ id: string }>, response: Response): SimulatedTrack | undefined {
    const { id } = request.params;
    const requested = id.startsWith('isrc:') ? world.tracksByIsrc(id.slice('isrc:'.length))[0] : world.track(id);
    const removed = requested ? undefined : world.removedTrack(id);
    if (removed && isStillServed(context, response, removed.id)) return { ...removed, removed: true };
    if (requested && isUnreleased(world.known('release', requested.releaseId))) return { ...requested, removed: true };
    return requested && maybeRelinked(context, response, requested, () => world.tracksOf(requested.releaseId));
  }

  /** A removed release still has its tracks. */
  function tracksOf(response: Response, album: SimulatedRelease): SimulatedTrack[] {
    return world
      .everyTrackOf(album.id)
      .filter((track) => album.removed || !track.removed || isStillServed(context, response, track.id))
      .map((track) => (album.removed || isUnreleased(album) ? { ...track, removed: true } : track));
  }

  function isUnreleased(album: SimulatedRelease): boolean {
    return Boolean(dice.quirks.unplayableUntilOut) && isUpcoming(album, context.clock.now());
  }

  function sendPage(request: Request, response: Response, items: readonly (() => JsonObject)[]): void {
    const isRepeated = dice.strike('repeatedPage', requestedPath(response)) !== undefined;
    const index = isRepeated ? 0 : wholeNumber(request.query.index, 0);
    const limit = Math.min(Math.max(1, wholeNumber(request.query.limit, DEFAULT_LIMIT)), MAX_LIMIT);
    if (index > 0 && failLaterPage(context, response, deezerErrors)) return;
    const linkTo = (at: number) => {
      const address = new URL(request.originalUrl, `http://${request.headers.host}`);
      address.search = new URLSearchParams({ limit: String(limit), index: String(at) }).toString();
      return address.href;
    };
    const places = withHiddenItems(dice, request.path, items);
    send(response, {
      data: showItems(places.slice(index, index + limit), (item) => item()),
      total: places.length,
      ...(index > 0 && { prev: linkTo(Math.max(0, index - limit)) }),
      ...(index + limit < places.length && { next: linkTo(index + limit) }),
    });
  }
}

function wholeNumber(value: unknown, otherwise: number): number {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : otherwise;
}
