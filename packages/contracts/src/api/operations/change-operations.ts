import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { changeDetailSchema, changeListSchema, changeSchema, updateChangeSchema } from '../change.js';
import { EXPORT_FORMATS, exportFormatSchema } from '../change-export.js';
import {
  changeCountsSchema,
  changeFilterParameters,
  countsBySchema,
  includeTestParameter,
  searchParameter,
  sinceSchema,
  typeSchema,
} from '../change-filter.js';
import { deliverySchema } from '../delivery.js';
import { afterSchema, artistIdSchema, ID_SCHEMAS, oneOf, pageParameters } from '../fields.js';
import { CHANGE, CHANGE_DETAIL, NEXT_CURSOR, PENDING_DELIVERY } from './examples.js';
import { json, linksOf, operationsOf, page } from './operation.js';

const createTestChangeSchema = z
  .strictObject({
    type: typeSchema.default('release_removed').describe('Any type in snake_case. Default: release_removed.'),
    artist_id: artistIdSchema.optional().describe('A watched artist. Default: a sample artist.'),
    severity: oneOf(SEVERITIES)
      .optional()
      .describe('Default: the severity of the type, or `info` for an unknown type.'),
  })
  .meta({ id: 'CreateTestChange' });

const createdTestChangeSchema = z
  .object({
    change: changeSchema,
    deliveries: z.array(deliverySchema).describe('One for each destination whose rules match.'),
  })
  .meta({ id: 'CreatedTestChange', description: 'A test change and its deliveries.' });

const LOSSLESS_POLLING =
  'To poll without missing a change, use `after`. It lists changes in the order in which they become available, regardless of `confirmed_at`. ' +
  'Start with `after=now` and save `next_cursor`. Then repeat: send the saved cursor as `after`, handle the page, and save its `next_cursor`. ' +
  'When `next_cursor` equals your `after`, you have reached the end; wait before the next request.';

const { origin: _, observations: __, ...EXPORTED } = CHANGE_DETAIL;

export const CHANGE_OPERATIONS = operationsOf('Changes', {
  listChanges: {
    route: 'GET /changes',
    summary: 'List confirmed changes',
    description:
      'Lists confirmed changes to the watched artists, newest first, with at most 200 on a page. ' +
      "If `since` is earlier than the plan's history period, the start of the history is used instead and returned in `X-History-Since`. " +
      'A change must match all filters. ' +
      'With `group_id`, `type`, `severity`, `status` or `q`, we search at most 10,000 changes per page, so a page can be short or empty and still have a `next_cursor`. ' +
      'The same applies to `artist_id` and `entity_id` if you send both, or with `after`.\n\n' +
      LOSSLESS_POLLING,
    query: z.object({
      since: sinceSchema.optional().meta({
        description: 'Only changes confirmed at this time or later. Default: 24 hours before the request.',
      }),
      ...changeFilterParameters.shape,
      q: searchParameter,
      include_test: includeTestParameter,
      after: afterSchema.optional(),
      ...pageParameters,
    }),
    answers: {
      200: page('A page of changes.', changeListSchema, [CHANGE], {
        next: NEXT_CURSOR,
        links: linksOf('change', '/data/0'),
        headers: ['X-History-Since'],
      }),
    },
  },
  showChange: {
    route: 'GET /changes/{id}',
    of: 'change',
    summary: 'Read a change',
    description: "Returns the change with its evidence, or 404 if the change is older than the plan's history period.",
    answers: { 200: json('The change.', changeDetailSchema, CHANGE_DETAIL, { links: linksOf('change', '') }) },
  },
  updateChange: {
    route: 'PATCH /changes/{id}',
    of: 'change',
    summary: 'Set the status, note or assignee of a change',
    description:
      'Omitted fields stay unchanged. The status, note and assignee apply only to your account, ' +
      'not to other accounts that watch the artist. An updated change is not listed again with `after`. ' +
      'The audit log records the API key.',
    body: { schema: updateChangeSchema, example: { status: 'handled', note: 'Distributor informed, ticket 4711' } },
    answers: {
      200: json('The change.', changeDetailSchema, {
        ...CHANGE_DETAIL,
        status: 'handled',
        note: 'Distributor informed, ticket 4711',
      }),
    },
    errors: ['conflict'],
  },
  createTestChange: {
    businessFeature: 'Destinations',
    route: 'POST /test-changes',
    summary: 'Create a test change',
    description:
      'Creates a change that only your account can see, and sends it to every destination whose rules match, ' +
      'with signatures and retries as for a real change. The webhook body contains `"test": true`. ' +
      'Lists and feeds omit it unless you set `include_test=true`. Counts, exports and emails always omit it. ' +
      "A failed attempt does not count toward a destination's failures. " +
      'You can create 60 test changes an hour and 200 a day. They are deleted after 7 days.',
    idempotent: true,
    body: { schema: createTestChangeSchema, example: { type: 'release_removed' }, optional: true },
    answers: {
      201: json('The change with its deliveries.', createdTestChangeSchema, {
        change: { ...CHANGE, test: true },
        deliveries: [{ ...PENDING_DELIVERY, trigger: 'test', attempt_count: 0 }],
      }),
    },
  },
  countChanges: {
    route: 'GET /changes/counts',
    summary: 'Count changes by day',
    description:
      'Returns the number of confirmed changes on each UTC day by severity, for charts. ' +
      "As in `GET /changes`, `since` is limited to the plan's history period.",
    query: z.object({
      by: countsBySchema.optional(),
      since: sinceSchema.optional().meta({
        description: 'Only changes confirmed at this time or later. Default: the last 30 UTC days.',
      }),
      ...changeFilterParameters.shape,
    }),
    answers: {
      200: json(
        'The numbers for each day in the range, oldest first.',
        changeCountsSchema,
        { data: [{ day: '2026-05-01', total: 3, critical: 1, warning: 0, info: 2 }] },
        { headers: ['X-History-Since'] },
      ),
    },
  },
  exportChanges: {
    route: 'GET /changes/export',
    summary: 'Export changes',
    description:
      'Returns all matching changes in one file, with complete values. ' +
      'Changes are listed newest first or, with `after`, in the order in which they became available. ' +
      'The file is CSV, or NDJSON in which each line is a `ChangeDetail` without `origin` or `observations`. ' +
      'An export counts as one request. ' +
      'If the connection breaks, the file is incomplete; use `continue_after` to get the rest. ' +
      'We close the connection if you read less than 16 KiB per second. ' +
      'With `after`, the file contains the changes after that cursor, and `X-Next-Cursor` is the cursor for the next request. ' +
      'An account can run two exports at a time, or only one under load. Further exports get 503.',
    query: z.object({
      format: exportFormatSchema.optional(),
      since: sinceSchema.optional().meta({
        description: "Only changes confirmed at this time or later. Default: the plan's whole history.",
      }),
      after: afterSchema.optional(),
      continue_after: ID_SCHEMAS.change.optional().meta({
        description: 'The `id` of the last change that you received. The export continues with the next change.',
      }),
      ...changeFilterParameters.shape,
      q: searchParameter,
    }),
    streamed: true,
    answers: {
      200: {
        description: 'The file.',
        texts: {
          'text/csv': EXPORT_FORMATS.csv.head + EXPORT_FORMATS.csv.line(EXPORTED),
          'application/x-ndjson': EXPORT_FORMATS.ndjson.line(EXPORTED),
        },
        headers: ['Content-Disposition', 'X-History-Since', 'X-Next-Cursor'],
      },
    },
  },
});
