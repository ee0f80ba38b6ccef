import { z } from 'zod';
import { changeDetailSchema, changeListSchema } from '../change.js';
import { changeCountsSchema, countsBySchema } from '../change-counts.js';
import { EXPORT_FORMATS, type ExportedChange, exportFormatSchema } from '../change-export.js';
import { changeFilterParameters, searchParameter } from '../change-filter.js';
import { changeIdSchema, cursorSchema, limitSchema } from '../identifiers.js';
import { sinceSchema } from '../since.js';
import { CHANGE, CHANGE_DETAIL, NEXT_CURSOR } from './examples.js';
import { linksOfChange } from './links.js';
import type { ApiOperation } from './operation.js';

export const listChanges = {
  id: 'listChanges',
  method: 'GET',
  path: '/changes',
  tag: 'Changes',
  summary: 'List confirmed changes',
  description:
    'The confirmed changes of the watched artists, newest first, at most 200 in one answer. `since` never reaches ' +
    "further back than the plan's history: an older one is moved up to it, and `X-History-Since` says to where. Filters " +
    'narrow each other. For a page, at most 10,000 changes are compared with `type`, `severity` and `q`: a filtered page ' +
    'may be short, or empty, and have a `next_cursor` all the same.',
  query: z.object({
    since: sinceSchema.optional().meta({
      description: 'Changes confirmed from this instant on, inclusive; 24 hours before the request unless given.',
    }),
    ...changeFilterParameters.shape,
    q: searchParameter,
    limit: limitSchema.optional(),
    cursor: cursorSchema.optional(),
  }),
  successes: [
    {
      status: 200,
      links: linksOfChange('/data/0'),
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
  successes: [
    {
      status: 200,
      links: linksOfChange(''),
      description: 'The change.',
      schema: changeDetailSchema,
      example: CHANGE_DETAIL,
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const countChanges = {
  id: 'countChanges',
  method: 'GET',
  path: '/changes/counts',
  tag: 'Changes',
  summary: 'Count changes by day',
  description:
    "How many changes were confirmed on each UTC day, by severity; for plots. `since` never reaches further back than the plan's " +
    'history, as in the list.',
  query: z.object({
    by: countsBySchema.optional(),
    since: sinceSchema.optional().meta({
      description: 'From this instant on, inclusive; the first of the last 30 UTC days unless given.',
    }),
    ...changeFilterParameters.shape,
  }),
  successes: [
    {
      status: 200,
      description: 'Every day of the range, oldest first.',
      schema: changeCountsSchema,
      example: { data: [{ day: '2026-05-01', total: 3, critical: 1, warning: 0, info: 2 }] },
      headers: ['X-History-Since'],
    },
  ],
  errors: ['invalid_since'],
} as const satisfies ApiOperation;

const EXPORTED: ExportedChange = {
  ...CHANGE,
  before: CHANGE.before ?? null,
  after: null,
  release_id: null,
  release_name: null,
};

export const exportChanges = {
  id: 'exportChanges',
  method: 'GET',
  path: '/changes/export',
  tag: 'Changes',
  summary: 'Export changes',
  description:
    'All changes that the filters let through in one file, newest first, with their values in full: as CSV, or as NDJSON, ' +
    'whose lines are a `ChangeDetail` without `origin` and `observations`. One request of the hourly limit, however long ' +
    'it is. A file that could not be made to its end ends with a broken connection, never as if it were whole. At most two ' +
    'exports of an account are made at once.',
  query: z.object({
    format: exportFormatSchema.optional(),
    since: sinceSchema.optional().meta({
      description: "Changes confirmed from this instant on, inclusive; all of the plan's history unless given.",
    }),
    ...changeFilterParameters.shape,
    q: searchParameter,
  }),
  streamed: true,
  successes: [
    {
      status: 200,
      description: 'The file.',
      texts: {
        'text/csv': EXPORT_FORMATS.csv.head + EXPORT_FORMATS.csv.line(EXPORTED),
        'application/x-ndjson': EXPORT_FORMATS.ndjson.line(EXPORTED),
      },
      headers: ['Content-Disposition', 'X-History-Since'],
    },
  ],
  errors: ['invalid_since'],
} as const satisfies ApiOperation;
