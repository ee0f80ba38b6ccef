import { z } from 'zod';
import { changeDetailSchema, changeListSchema, updateChangeSchema } from '../change.js';
import { changeCountsSchema, countsBySchema } from '../change-counts.js';
import { EXPORT_FORMATS, exportFormatSchema } from '../change-export.js';
import { changeFilterParameters, searchParameter } from '../change-filter.js';
import { afterSchema, ID_SCHEMAS, pageParameters } from '../identifiers.js';
import { sinceSchema } from '../since.js';
import { CHANGE, CHANGE_DETAIL, NEXT_CURSOR } from './examples.js';
import { linksOf } from './links.js';
import { json, operationsOf, page } from './operation.js';

/** docs/reference/api.md describes the same loop. */
const LOSSLESS_POLLING = `To poll without losing a change, use \`after\`: it lists the changes in the order in which they become readable, whatever their \`confirmed_at\`. Start with \`after=now\`, keep \`next_cursor\`, and pass it as \`after\` of the next request. You have reached the end when \`next_cursor\` equals your \`after\`; an empty page at the end returns the same cursor.

\`\`\`python
cursor = load() or get("/changes", after="now")["next_cursor"]
while True:
    page = get("/changes", after=cursor)
    for change in page["data"]: handle(change)
    if page["next_cursor"] == cursor: time.sleep(60)
    cursor = save(page["next_cursor"])
\`\`\``;

const { origin: _, observations: __, ...EXPORTED } = CHANGE_DETAIL;

export const CHANGE_OPERATIONS = operationsOf('Changes', {
  listChanges: {
    route: 'GET /changes',
    summary: 'List confirmed changes',
    description:
      'The confirmed changes of the watched artists, newest first, at most 200 on a page. A `since` before the history of ' +
      'the plan is moved to its start, which is in `X-History-Since`. All filters must match. A page compares at most 10,000 ' +
      'changes with `type`, `severity`, `status` and `q`, so a filtered page can be short or empty and still have a `next_cursor`.\n\n' +
      LOSSLESS_POLLING,
    query: z.object({
      since: sinceSchema.optional().meta({
        description: 'Changes confirmed at this time or later. Default: 24 hours before the request.',
      }),
      ...changeFilterParameters.shape,
      q: searchParameter,
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
    description: "The change with its evidence. 404 for changes older than the plan's history.",
    answers: { 200: json('The change.', changeDetailSchema, CHANGE_DETAIL, { links: linksOf('change', '') }) },
  },
  updateChange: {
    route: 'PATCH /changes/{id}',
    of: 'change',
    summary: 'Set the status, note or assignee of a change',
    description:
      'Omitted fields stay as they are. The status belongs to your account; other accounts that watch the artist have ' +
      'their own. It does not list the change again with `after`. The audit names the API key.',
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
  countChanges: {
    route: 'GET /changes/counts',
    summary: 'Count changes by day',
    description:
      'Confirmed changes of each UTC day by severity, for charts. `since` is limited to the history of the plan, as in the ' +
      'list.',
    query: z.object({
      by: countsBySchema.optional(),
      since: sinceSchema.optional().meta({
        description: 'Changes confirmed at this time or later. Default: the start of the last 30 UTC days.',
      }),
      ...changeFilterParameters.shape,
    }),
    answers: {
      200: json(
        'All days of the range, oldest first.',
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
      'All matching changes in one file, newest first, with complete values: as CSV, or as NDJSON, whose lines are a ' +
      '`ChangeDetail` without `origin` and `observations`. An export counts as one request. An incomplete file ends with a ' +
      'broken connection, also if you read less than 16 KiB a second. Use `continue_after` to get the rest. With `after`, the ' +
      'file has the changes after that cursor in the order in which they became readable, and `X-Next-Cursor` is the cursor ' +
      'for the next request. An account can run two exports at a time, one under load; beyond that: 503.',
    query: z.object({
      format: exportFormatSchema.optional(),
      since: sinceSchema.optional().meta({
        description: "Changes confirmed at this instant or later. Default: the plan's whole history.",
      }),
      after: afterSchema.optional(),
      continue_after: ID_SCHEMAS.change.optional().meta({
        description: 'The `id` of the last change that you have: the export continues with the next one.',
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
