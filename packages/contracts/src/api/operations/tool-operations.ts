import { lookupRequestSchema, lookupSchema, reverseRequestSchema, reverseSchema, toolsSchema } from '../tools.js';
import { SOURCE, TRACK } from './examples.js';
import { json, operationsOf } from './operation.js';

const TOOL_ERRORS = [
  'track_not_found',
  'daily_allowance_exceeded',
  'upstream_error',
  'upstream_unavailable',
  'upstream_timeout',
] as const;

const COST =
  'A 200 or 404 response uses one call of the daily allowance. ' +
  'Invalid input and errors of the service or the platform use none.';

export const TOOL_OPERATIONS = operationsOf('Tools', {
  readTools: {
    route: 'GET /tools',
    summary: 'Read the daily allowance',
    businessFeature: 'Tools',
    answers: {
      200: json('The allowance for this UTC day, and the tools.', toolsSchema, {
        allowance: { limit: 1_000, used: 12, remaining: 988, resets_at: '2026-05-02T00:00:00.000Z' },
        tools: ['lookup', 'reverse'],
      }),
    },
  },
  lookupTrack: {
    route: 'POST /tools/lookup',
    summary: 'Find the ISRC of a track',
    description: `Accepts a link to a track in any common form. ${COST}`,
    businessFeature: 'Tools',
    readOnly: true,
    body: { schema: lookupRequestSchema, example: { input: 'https://www.deezer.com/us/track/3135556' } },
    answers: { 200: json('The track.', lookupSchema, { isrc: TRACK.isrc, track: TRACK, source: SOURCE }) },
    errors: ['unsupported_url', ...TOOL_ERRORS],
  },
  reverseIsrc: {
    route: 'POST /tools/reverse',
    summary: 'Find the tracks of an ISRC',
    description: COST,
    businessFeature: 'Tools',
    readOnly: true,
    body: { schema: reverseRequestSchema, example: { isrc: 'GB-DUW-00-00059' } },
    answers: {
      200: json('The tracks.', reverseSchema, {
        isrc: TRACK.isrc ?? '',
        track: TRACK,
        matches: [TRACK],
        source: SOURCE,
      }),
    },
    errors: ['invalid_isrc', ...TOOL_ERRORS],
  },
});
