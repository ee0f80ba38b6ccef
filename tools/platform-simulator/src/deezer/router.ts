import { type Request, type Response, Router } from 'express';
import { askedOf, countryOf, type PlatformContext, type TroubleWording } from '../platform-context.js';
import { type DistortableFields, type JsonObject, mapObjects, sendDistorted } from '../quirks/distort.js';
import { answeredFor, failLaterPage, misbehave, stillAnswers } from '../quirks/misbehave.js';
import { shownOf, withHiddenItems } from '../quirks/quirk-dice.js';
import {
  isLater,
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

/** Deezer answers its errors inside HTTP 200 (developers.deezer.com/api/errors). */
function sendError(response: Response, type: string, message: string, code: number): void {
  response
    .status(200)
    .type('json')
    .send(JSON.stringify({ error: { type, message, code } }));
}

export const deezerTroubles: TroubleWording = {
  noData: (response) => sendError(response, 'DataException', 'no data', 800),
  // No Retry-After: the API does not say how long.
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
const GREATEST_LIMIT = 100;

const FIELDS: DistortableFields = {
  items: 'data',
  total: 'total',
  noPicture: { md5_image: 'd41d8cd98f00b204e9800998ecf8427e' },
  nameFields: ['title', 'name'],
  hollow: { title: '', title_short: '', release_date: '0000-00-00', md5_image: '' },
  mapLists: (body, twist) => (Array.isArray(body.data) ? twist(body) : body),
  zeroFollowers: (artist) => ('nb_fan' in artist ? { ...artist, nb_fan: 0 } : artist),
};

/** The part of api.deezer.com that Artist Watch reads. */
export function deezerRouter(context: PlatformContext): Router {
  const { world, dice } = context;
  const router = Router();
  const send = (response: Response, body: JsonObject) => {
    const asked = askedOf(response);
    const isText = dice.strike('textDurations', asked) !== undefined;
    const isUnreadable = dice.strike('unreadableTracks', asked) !== undefined;
    const worded = (object: JsonObject) => ({
      ...object,
      ...(isText && 'duration' in object && { duration: String(object.duration) }),
      ...(isUnreadable && 'readable' in object && { readable: false }),
    });
    const answer = isText || isUnreadable ? (mapObjects(body, worded) as JsonObject) : body;
    sendDistorted(context, response, answer, FIELDS);
  };

  router.use(misbehave(context, deezerTroubles));

  router.get('/infos', (request, response) => send(response, infosObject(countryOf(context, request, response))));

  router.get('/artist/:id', (request, response) => {
    const artist = world.artist(request.params.id);
    if (!artist) return deezerTroubles.noData(response);
    send(response, artistObject(world, answeredArtist(response, artist)));
  });

  router.get('/search/artist', (request, response) => {
    const { q } = request.query;
    if (typeof q !== 'string' || q === '') return sendMissingParameter(response, 'q');
    const found = findArtists(world.artists(), q).map((artist) => () => artistInSearch(world, artist));
    sendPage(request, response, found);
  });

  router.get('/artist/:id/albums', (request, response) => {
    const asked = world.artist(request.params.id);
    const artist = asked?.mergedInto === undefined ? asked : world.artist(asked.mergedInto);
    if (!artist || dice.strike('emptyList', askedOf(response))) return send(response, { data: [], total: 0 });
    const country = countryOf(context, request, response);
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
    if (!album) return deezerTroubles.noData(response);
    send(response, albumObject(world, album, tracksOf(response, album)));
  });

  router.get('/album/:id/tracks', (request, response) => {
    const album = findAlbum(request, response);
    if (!album) return deezerTroubles.noData(response);
    sendPage(
      request,
      response,
      tracksOf(response, album).map((track) => () => trackInList(world, track)),
    );
  });

  router.get('/track/:id', (request, response) => {
    const track = findTrack(request, response);
    if (!track) return deezerTroubles.noData(response);
    send(response, trackObject(world, track));
  });

  router.use((request, response) => sendUnknownPath(response, request.path));

  return router;

  function answeredArtist(response: Response, artist: SimulatedArtist): SimulatedArtist {
    if (artist.mergedInto !== undefined) return world.known('artist', artist.mergedInto);
    return answeredFor(context, response, artist, () => world.artists());
  }

  function findAlbum(request: Request<{ id: string }>, response: Response): SimulatedRelease | undefined {
    const { id } = request.params;
    const asked = id.startsWith('upc:') ? world.releaseByUpc(id.slice('upc:'.length)) : world.release(id);
    if (asked && !asked.markets.includes(countryOf(context, request, response))) return undefined;
    const removed = asked ? undefined : world.removedRelease(id);
    const relinkedTo = (asked ?? removed)?.relinkedTo;
    if (relinkedTo !== undefined) return world.release(relinkedTo);
    if (removed && stillAnswers(context, response, removed.id)) return removed;
    return asked && answeredFor(context, response, asked, () => world.releasesOf(asked.artistId));
  }

  function findTrack(request: Request<{ id: string }>, response: Response): SimulatedTrack | undefined {
    const { id } = request.params;
    const asked = id.startsWith('isrc:') ? world.tracksByIsrc(id.slice('isrc:'.length))[0] : world.track(id);
    const removed = asked ? undefined : world.removedTrack(id);
    if (removed && stillAnswers(context, response, removed.id)) return { ...removed, removed: true };
    if (asked && isToCome(world.known('release', asked.releaseId))) return { ...asked, removed: true };
    return asked && answeredFor(context, response, asked, () => world.tracksOf(asked.releaseId));
  }

  /** A release that was taken down keeps its tracks. */
  function tracksOf(response: Response, album: SimulatedRelease): SimulatedTrack[] {
    return world
      .everyTrackOf(album.id)
      .filter((track) => album.removed || !track.removed || stillAnswers(context, response, track.id))
      .map((track) => (album.removed || isToCome(album) ? { ...track, removed: true } : track));
  }

  function isToCome(album: SimulatedRelease): boolean {
    return Boolean(dice.quirks.unplayableUntilOut) && isLater(album, context.clock.now());
  }

  function sendPage(request: Request, response: Response, items: readonly (() => JsonObject)[]): void {
    const isRepeated = dice.strike('repeatedPage', askedOf(response)) !== undefined;
    const index = isRepeated ? 0 : wholeNumber(request.query.index, 0);
    const limit = Math.min(Math.max(1, wholeNumber(request.query.limit, DEFAULT_LIMIT)), GREATEST_LIMIT);
    if (index > 0 && failLaterPage(context, response, deezerTroubles)) return;
    const linkTo = (at: number) => {
      const address = new URL(request.originalUrl, `http://${request.headers.host}`);
      address.search = new URLSearchParams({ limit: String(limit), index: String(at) }).toString();
      return address.href;
    };
    const places = withHiddenItems(dice, request.path, items);
    send(response, {
      data: shownOf(places.slice(index, index + limit), (item) => item()),
      total: places.length,
      ...(index > 0 && { prev: linkTo(Math.max(0, index - limit)) }),
      ...(index + limit < places.length && { next: linkTo(index + limit) }),
    });
  }
}

function wholeNumber(value: unknown, otherwise: number): number {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : otherwise;
}
