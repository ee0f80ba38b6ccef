import { z } from 'zod';
import { artistFilterSchema, artistListSchema, artistSchema, watchArtistSchema } from '../artist.js';
import { artistChecksSchema, artistDaysSchema, artistDetailSchema, artistReleasesSchema } from '../artist-detail.js';
import {
  artistCandidateSchema,
  artistSearchSchema,
  bulkLinesSchema,
  bulkWatchSchema,
  searchTextSchema,
} from '../artist-search.js';
import { cursorSchema, limitOfWholeSchema, pageParameters } from '../identifiers.js';
import { sinceSchema } from '../since.js';
import { ARTIST, CHANGE, NEXT_CURSOR, TRACK } from './examples.js';
import { linksOf } from './links.js';
import { json, operationsOf, page } from './operation.js';

const CANDIDATE = artistCandidateSchema.parse(ARTIST);

/** Of what is looked up on the platform. */
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
  release_date: '2025-11-07',
  label: 'Vale Records',
  upc: '602445790128',
  explicit: false,
  artwork_id: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  markets: null,
  credits: TRACK.artists,
  tracks: [
    {
      platform_id: TRACK.platform_id,
      platform_url: TRACK.url,
      title: TRACK.name,
      isrc: TRACK.isrc,
      position: 1,
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
  summary: 'Missing since 2026-05-01 11:30 UTC, 2 of 3 observations, certain at 2026-05-01 12:00 UTC at the earliest.',
  detected_at: CHANGE.detected_at,
  last_observed_at: '2026-05-01T11:40:00.000Z',
  observations: { counted: 2, needed: 3 },
  certain_at: CHANGE.confirmed_at,
};

export const ARTIST_OPERATIONS = operationsOf('Artists', {
  listArtists: {
    route: 'GET /artists',
    summary: 'List watched artists',
    description: 'All of them in one answer; by pages with `limit`.',
    query: artistFilterSchema.extend({ limit: limitOfWholeSchema.optional(), cursor: cursorSchema.optional() }),
    answers: {
      200: page('Watched artists.', artistListSchema, [ARTIST], { links: linksOf('artist', '/data/0') }),
    },
  },
  watchArtist: {
    route: 'POST /artists',
    summary: 'Watch an artist',
    description:
      'From now on, changes to the artist appear in the feed. A new artist is first read soon after; until then its ' +
      "platform id stands in for its name. One that was read before is read again after the plan's interval. Watching an " +
      'artist that is watched already changes nothing. New watches are limited to five times the artists of the plan for ' +
      'each UTC day. A short link, as the apps of the platform share it, is followed, and costs a search of the day.',
    idempotent: true,
    body: { schema: watchArtistSchema, example: { platform_id: ARTIST.platform_id } },
    answers: {
      200: json('The artist, which was watched already.', artistSchema, ARTIST),
      201: json('The artist, watched from now on.', artistSchema, ARTIST, { links: linksOf('artist', '') }),
    },
    errors: ['unsupported_url', 'plan_limit_reached', ...LOOK_UP_ERRORS],
  },
  searchArtists: {
    route: 'GET /artists/search',
    summary: 'Search the platform for artists',
    description:
      'What the platform itself finds for a name, with which of them the account watches. Each search is one of the ' +
      "account's day: as many as it may begin to watch artists, and 50 at the least. One that the platform does not answer " +
      'costs none.',
    query: z.object({ q: searchTextSchema }),
    answers: {
      200: page('Artists of the platform.', artistSearchSchema, [{ ...CANDIDATE, artist_id: ARTIST.id }]),
    },
    errors: LOOK_UP_ERRORS,
  },
  watchArtists: {
    route: 'POST /artists/bulk',
    summary: 'Watch many artists',
    description:
      'Up to 500 lines, each with an answer of its own. Ids and addresses are watched in one step, as far as the plan allows; ' +
      'a name or a short link is looked up, and costs a search of the day. A name is watched when exactly one artist has it. ' +
      'As CSV, the first column counts; a heading is passed over. Lines that are answered `not_looked_up` can be sent again, ' +
      'and so can all of them: who is watched already stays.',
    idempotent: true,
    takesList: true,
    body: {
      schema: bulkWatchSchema,
      example: { artists: [ARTIST.platform_id, `https://www.deezer.com/artist/${ARTIST.platform_id}`, 'Vale'] },
      csvExample: `artist,note\n${ARTIST.platform_id},ours\n"Vale, Nina",\n`,
    },
    answers: {
      200: page('What became of each line.', bulkLinesSchema, [
        { line: 1, input: ARTIST.platform_id, result: 'watched', artist: ARTIST, error: null, candidates: [] },
        { line: 2, input: 'Vale', result: 'ambiguous', artist: null, error: null, candidates: [CANDIDATE] },
      ]),
    },
  },
  unwatchArtist: {
    route: 'DELETE /artists/{id}',
    of: 'artist',
    summary: 'Stop watching an artist',
    description: 'What the feed holds of the artist stays in it.',
    answers: { 204: { description: 'The artist is not watched any more.' } },
  },
  showArtist: {
    route: 'GET /artists/{id}',
    of: 'artist',
    summary: 'Read a watched artist',
    answers: {
      200: json(
        'The artist, with counts.',
        artistDetailSchema,
        { ...ARTIST, counts: { releases: 31, tracks: 214, changes: 12, checks: 1 } },
        { links: linksOf('artist', '') },
      ),
    },
  },
  readArtistMetrics: {
    route: 'GET /artists/{id}/metrics',
    of: 'artist',
    summary: 'Read an artist day by day',
    description:
      'One item for each UTC day since the watch began that shows anything, as far back as the history of the plan: an older ' +
      '`since` is moved up to it, and `X-History-Since` says to where.',
    query: z.object({
      since: sinceSchema
        .optional()
        .meta({ description: 'From the day of this instant on; the whole history unless given.' }),
    }),
    answers: {
      200: page('Days.', artistDaysSchema, [DAY], { headers: ['X-History-Since'] }),
    },
  },
  listArtistReleases: {
    route: 'GET /artists/{id}/releases',
    of: 'artist',
    summary: 'List what is held to be true of the releases',
    description:
      'The catalogue as it stands with every confirmed change: what readings are compared with. Empty until the first ' +
      'complete reading.',
    query: z.object(pageParameters),
    answers: { 200: page('Releases with their tracks.', artistReleasesSchema, [RELEASE]) },
  },
  listArtistChecks: {
    route: 'GET /artists/{id}/checks',
    of: 'artist',
    summary: 'List what is being checked',
    description:
      'What readings since the watch began have shown, and too few of them to be certain. A check ends as a confirmed change ' +
      'of the same id, or disappears.',
    query: z.object(pageParameters),
    answers: { 200: page('Checks under way.', artistChecksSchema, [CHECK], { next: NEXT_CURSOR }) },
  },
});
