import { z } from 'zod';
import { changeDetailSchema, changeListSchema } from '../change.js';
import { changeIdSchema } from '../identifiers.js';
import { cursorSchema, limitSchema } from '../paging.js';
import { sinceSchema } from '../since.js';
import { CHANGE, CHANGE_DETAIL, NEXT_CURSOR } from './examples.js';
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

export const showChange = {
  id: 'showChange',
  method: 'GET',
  path: '/changes/{id}',
  tag: 'Changes',
  summary: 'Read a change',
  description: "The change with the evidence for it. What is older than the plan's history is not found.",
  pathParameters: z.object({ id: changeIdSchema }),
  successes: [{ status: 200, description: 'The change.', schema: changeDetailSchema, example: CHANGE_DETAIL }],
  errors: [],
} as const satisfies ApiOperation;
