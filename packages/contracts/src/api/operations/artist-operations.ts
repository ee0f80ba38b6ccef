import { z } from 'zod';
import {
  artistChecksSchema,
  artistDaysSchema,
  artistDetailSchema,
  artistFilterSchema,
  artistListSchema,
  artistReleasesSchema,
  artistSchema,
  watchArtistSchema,
} from '../artist.js';
import {
  artistCandidateSchema,
  artistSearchSchema,
  bulkLinesSchema,
  bulkWatchSchema,
  searchTextSchema,
} from '../artist-search.js';
import { sinceSchema } from '../change-filter.js';
import { cursorSchema, limitOfWholeSchema, pageParameters } from '../fields.js';
import { ARTIST, CHANGE, NEXT_CURSOR, TRACK } from './examples.js';
import { json, linksOf, operationsOf, page } from './operation.js';

const CANDIDATE = artistCandidateSchema.parse(ARTIST);

const LOOK_UP_ERRORS = [
  'daily_allowance_exceeded',
  'upstream_error',
  'upstream_unavailable',
  'upstream_timeout',
] as const;

const DAY = {
  day: '2026-05-01',
  followers: ARTIST.followers,
  monthly_listeners: null,
  releases: 31,
  tracks: 214,
  readings: 96,
  complete_readings: 95,
};

const RELEASE = {
  platform_id: CHANGE.entity_id,
  platform_url: `https://www.deezer.com/album/${CHANGE.entity_id}`,
  title: CHANGE.entity_name,
  type: 'album',
  release_date: '2001-03-07',
  label: 'Virgin',
  upc: '724384960650',
  explicit: false,
  artwork_id: '5718f7c81c27e0b2417e2a4c45224f8a',
  markets: null,
  credits: TRACK.artists,
  tracks: [
    {
      platform_id: TRACK.platform_id,
      platform_url: TRACK.url,
      title: TRACK.name,
      isrc: TRACK.isrc,
      position: 4,
      explicit: false,
      credits: TRACK.artists,
    },
  ],
};

const CHECK = {
  id: CHANGE.id,
  type: CHANGE.type,
  severity: CHANGE.severity,
  state: 'suspected' as const,
  entity_type: CHANGE.entity_type,
  entity_id: CHANGE.entity_id,
  entity_name: CHANGE.entity_name,
  platform_url: `https://www.deezer.com/album/${CHANGE.entity_id}`,
  release_id: null,
  summary:
    'Missing since 2026-05-01 11:30 UTC (2 of 3 required observations). Earliest possible confirmation: 2026-05-01 12:00 UTC.',
  detected_at: CHANGE.detected_at,
  last_observed_at: '2026-05-01T11:40:00.000Z',
  observations: { counted: 2, needed: 3 },
  certain_at: CHANGE.confirmed_at,
};

export const ARTIST_OPERATIONS = operationsOf('Artists', {
  listArtists: {
    route: 'GET /artists',
    summary: 'List watched artists',
    description: 'Returns all artists on one page unless you set `limit`.',
    query: artistFilterSchema.extend({ limit: limitOfWholeSchema.optional(), cursor: cursorSchema.optional() }),
    answers: {
      200: page('Watched artists.', artistListSchema, [ARTIST], { links: linksOf('artist', '/data/0') }),
    },
  },
  watchArtist: {
    route: 'POST /artists',
    summary: 'Watch an artist',
    description:
      'From now on, `GET /changes` lists changes to the artist. A new artist is observed within seconds. ' +
      'Until then, its `name` is the platform id. ' +
      "If we already observe the artist, its next observation happens once the plan's interval has passed. " +
      'If you already watch the artist, nothing changes. If you send the id of a merged artist, you watch the artist that replaced it. ' +
      'On each UTC day you can start watching up to five times as many artists as your plan includes. ' +
      'Resolving a short link from the Deezer or Spotify app counts as a search.',
    idempotent: true,
    body: { schema: watchArtistSchema, example: { platform_id: ARTIST.platform_id } },
    answers: {
      200: json('The artist, which the account was already watching.', artistSchema, ARTIST),
      201: json('The artist, which is now watched.', artistSchema, ARTIST, { links: linksOf('artist', '') }),
    },
    errors: ['unsupported_url', 'plan_limit_reached', ...LOOK_UP_ERRORS],
  },
  searchArtists: {
    route: 'GET /artists/search',
    summary: 'Search for artists',
    description:
      'Finds artists on Deezer or Spotify by name and shows which of them the account watches. ' +
      'Per UTC day, the number of searches is limited to the number of artists that you can start watching, or to 50 if that is higher. ' +
      'Failed searches do not count.',
    query: z.object({ q: searchTextSchema }),
    answers: {
      200: page('The artists that Deezer or Spotify found.', artistSearchSchema, [
        { ...CANDIDATE, artist_id: ARTIST.id },
      ]),
    },
    errors: LOOK_UP_ERRORS,
  },
  watchArtists: {
    route: 'POST /artists/bulk',
    summary: 'Watch many artists',
    description:
      'Accepts up to 500 lines, each of which gets its own result. ' +
      'Artists are added until you reach a limit of your plan. Any remaining new artists get the result `limit_reached`. ' +
      'Looking up a name or short link counts as a search. ' +
      'A name is accepted only if exactly one artist has it. Otherwise, the result is `ambiguous` or `unknown`. ' +
      'In CSV, only the first column is read, and a heading such as `Artist Name` is skipped. ' +
      'Columns are separated by commas, semicolons or tabs, or by the character in a first line such as `sep=;`. ' +
      'The whole file must use the same separator. You can resend the lines with the result `not_looked_up`, or all lines: ' +
      'artists that you already watch get the result `already_watched`.',
    idempotent: true,
    takesList: true,
    body: {
      schema: bulkWatchSchema,
      example: { artists: [ARTIST.platform_id, `https://www.deezer.com/artist/${ARTIST.platform_id}`, 'Daft'] },
      csvExample: `artist,note\n${ARTIST.platform_id},ours\n"Tyler, The Creator",\n`,
    },
    answers: {
      200: page('The result of each line.', bulkLinesSchema, [
        { line: 1, input: ARTIST.platform_id, result: 'watched', artist: ARTIST, error: null, candidates: [] },
        { line: 2, input: 'Daft', result: 'ambiguous', artist: null, error: null, candidates: [CANDIDATE] },
      ]),
    },
  },
  unwatchArtist: {
    route: 'DELETE /artists/{id}',
    of: 'artist',
    summary: 'Stop watching an artist',
    description: 'Past changes stay in the feed.',
    answers: { 204: { description: 'The artist is no longer watched.' } },
  },
  followMerge: {
    route: 'POST /artists/{id}/follow-merge',
    of: 'artist',
    summary: 'Follow a merged artist',
    description:
      'Stops watching an artist with the status `merged`, and starts watching the artist in `merged_into` instead. ' +
      'The `artist_ids` of your destinations are updated too. The limits of your plan do not apply. ' +
      'Past changes stay in the feed.',
    idempotent: true,
    answers: {
      200: json('The other artist, which is now watched.', artistSchema, ARTIST, {
        links: linksOf('artist', ''),
      }),
    },
    errors: ['conflict'],
  },
  showArtist: {
    route: 'GET /artists/{id}',
    of: 'artist',
    summary: 'Read a watched artist',
    answers: {
      200: json(
        'The artist, with counts of its releases, tracks and changes.',
        artistDetailSchema,
        { ...ARTIST, counts: { releases: 31, tracks: 214, changes: 12, checks: 1 } },
        { links: linksOf('artist', '') },
      ),
    },
  },
  readArtistMetrics: {
    route: 'GET /artists/{id}/metrics',
    of: 'artist',
    summary: "Read an artist's daily numbers",
    description:
      "Returns one item for each UTC day that has data, starting at `watched_since` and within the plan's history period. " +
      'If `since` is earlier than the history, the start of the history is used instead and returned in `X-History-Since`.',
    query: z.object({
      since: sinceSchema.optional().meta({ description: 'The first day. Default: the whole history.' }),
    }),
    answers: {
      200: page('The numbers for each day.', artistDaysSchema, [DAY], { headers: ['X-History-Since'] }),
    },
  },
  listArtistReleases: {
    route: 'GET /artists/{id}/releases',
    of: 'artist',
    summary: "List an artist's releases",
    description:
      'Lists the known releases, with all confirmed changes applied. New observations are compared with this state. ' +
      'The list is empty until the first complete observation.',
    query: z.object(pageParameters),
    answers: { 200: page('The releases with their tracks.', artistReleasesSchema, [RELEASE]) },
  },
  listArtistChecks: {
    route: 'GET /artists/{id}/checks',
    of: 'artist',
    summary: 'List suspected changes',
    description:
      'Lists changes seen since `watched_since` that need more observations. ' +
      'Each suspected change either becomes a confirmed change with the same id, or disappears.',
    query: z.object(pageParameters),
    answers: { 200: page('Suspected changes.', artistChecksSchema, [CHECK], { next: NEXT_CURSOR }) },
  },
});
