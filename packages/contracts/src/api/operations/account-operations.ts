import { z } from 'zod';
import { artistListSchema, artistSchema, watchArtistSchema } from '../artist.js';
import { changeListSchema } from '../change.js';
import { artistIdSchema } from '../identifiers.js';
import { cursorSchema, limitSchema } from '../paging.js';
import { sinceSchema } from '../since.js';
import { usageSchema } from '../usage.js';
import { ARTIST, CHANGE, NEXT_CURSOR } from './examples.js';
import type { ApiOperation } from './operation.js';

export const listChanges = {
  id: 'listChanges',
  method: 'GET',
  path: '/changes',
  tag: 'Changes',
  summary: 'List confirmed changes',
  description:
    'The confirmed changes of the watched artists, newest first, at most 200 in one answer. `since` never reaches ' +
    "further back than the plan's history: an older one is moved up to it, and `X-History-Since` says to where.",
  query: z.object({
    since: sinceSchema.optional().meta({
      description: 'Changes confirmed from this instant on, inclusive; 24 hours before the request unless given.',
    }),
    limit: limitSchema.optional(),
    cursor: cursorSchema.optional(),
  }),
  successes: [
    {
      status: 200,
      description: 'A page of changes.',
      schema: changeListSchema,
      example: { data: [CHANGE], next_cursor: NEXT_CURSOR },
      headers: ['Link', 'X-History-Since'],
    },
  ],
  errors: ['invalid_since', 'invalid_limit', 'invalid_cursor'],
} as const satisfies ApiOperation;

export const listArtists = {
  id: 'listArtists',
  method: 'GET',
  path: '/artists',
  tag: 'Artists',
  summary: 'List watched artists',
  successes: [
    { status: 200, description: 'All watched artists.', schema: artistListSchema, example: { data: [ARTIST] } },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const watchArtist = {
  id: 'watchArtist',
  method: 'POST',
  path: '/artists',
  tag: 'Artists',
  summary: 'Watch an artist',
  description:
    'From now on, changes to the artist appear in the feed. A new artist is first read soon after; until then its ' +
    "platform id stands in for its name. One that was read before is read again after the plan's interval. Watching an " +
    'artist that is watched already changes nothing. New watches are limited to five times the artists of the plan for ' +
    'each UTC day.',
  idempotent: true,
  body: { schema: watchArtistSchema, example: { platform_id: ARTIST.platform_id } },
  successes: [
    { status: 201, description: 'The artist, watched from now on.', schema: artistSchema, example: ARTIST },
    { status: 200, description: 'The artist, which was watched already.', schema: artistSchema, example: ARTIST },
  ],
  errors: ['unsupported_url', 'plan_limit_reached'],
} as const satisfies ApiOperation;

export const unwatchArtist = {
  id: 'unwatchArtist',
  method: 'DELETE',
  path: '/artists/{id}',
  tag: 'Artists',
  summary: 'Stop watching an artist',
  description: 'What the feed holds of the artist stays in it.',
  pathParameters: z.object({ id: artistIdSchema }),
  successes: [{ status: 204, description: 'The artist is not watched any more.' }],
  errors: [],
} as const satisfies ApiOperation;

export const readUsage = {
  id: 'readUsage',
  method: 'GET',
  path: '/usage',
  tag: 'Usage',
  summary: 'Read plan and usage',
  successes: [
    {
      status: 200,
      description: 'Plan, limits and usage.',
      schema: usageSchema,
      example: {
        plan: 'business',
        artists: { used: 42, limit: 500 },
        seats: { used: 3, limit: 25 },
        api_rate_per_hour: 60_000,
        paused_by_plan: { destinations: 0 },
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;
