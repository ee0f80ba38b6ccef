import { z } from 'zod';
import { changeListSchema } from '../change.js';
import { cursorSchema, limitSchema } from '../paging.js';
import { sinceSchema } from '../since.js';
import { usageSchema } from '../usage.js';
import { CHANGE, NEXT_CURSOR } from './examples.js';
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
