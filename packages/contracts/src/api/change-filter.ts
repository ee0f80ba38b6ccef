import { CHANGE_STATUSES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { parseInstant } from '../ingest/field-types.js';
import { artistIdSchema, groupIdSchema, oneOf } from './fields.js';

export const countsBySchema = oneOf(['day']);

const count = () => z.int().nonnegative();

export const changeCountsSchema = z
  .object({
    data: z.array(
      z.object({
        day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
        total: count(),
        critical: count(),
        warning: count(),
        info: count(),
      }),
    ),
  })
  .meta({ id: 'ChangeCounts', description: 'Number of changes per UTC day. Days without changes have zeros.' });

type ChangeCounts = z.infer<typeof changeCountsSchema>;

export interface DayCounts {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
}

const DAY_MS = 86_400_000;

/** Returns every UTC day from `since` through `until`. Days without changes contain zeros. */
export function everyDay(counted: readonly DayCounts[], since: Date, until: Date): ChangeCounts['data'] {
  const byDay = new Map(counted.map((counts) => [counts.day, counts]));
  const days: ChangeCounts['data'] = [];
  const first = Math.floor(since.getTime() / DAY_MS) * DAY_MS;
  for (let at = first; at <= until.getTime(); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const { critical = 0, warning = 0, info = 0 } = byDay.get(day) ?? {};
    days.push({ day, total: critical + warning + info, critical, warning, info });
  }
  return days;
}

/** If `+` is not percent-encoded, it arrives as a space. */
const OFFSET_AFTER_SPACE = / (\d{2}:\d{2})$/;

const FINER_THAN_MS = /\.\d{3}0*[1-9]/;

/**
 * Parses strict RFC 3339 (docs/api/requests.md). Rounds up to whole milliseconds, so that changes before the given time
 * are excluded.
 * @returns undefined for any other text
 */
export function parseSince(text: string): Date | undefined {
  const repaired = text.replace(OFFSET_AFTER_SPACE, '+$1');
  const instant = parseInstant(repaired);
  if (!instant) return undefined;
  return FINER_THAN_MS.test(repaired) ? new Date(instant.getTime() + 1) : instant;
}

const FORM = 'must be a single RFC 3339 time with a time zone, such as 2026-05-01T12:00:00Z';

const instantParameter = (message: string, example: string) =>
  z
    .string()
    .transform((text, context) => {
      const instant = parseSince(text);
      if (instant) return instant;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ format: 'date-time', example });

export const sinceSchema = instantParameter(`"since" ${FORM}.`, '2026-05-01T12:00:00Z');

/** Exclusive. */
export const untilSchema = instantParameter(FORM, '2026-05-02T12:00:00Z');

const MAX_TYPES = 20;
const MAX_WORDS = 10;

export const typeSchema = z
  .string()
  .max(64, 'must be at most 64 characters')
  .regex(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/, 'must be snake_case, such as release_removed');

/** PostgreSQL rejects NUL, and no name contains other control characters. */
export const isPrintable = (text: string) => !/\p{Cc}/u.test(text);
export const NOT_PRINTABLE = 'must not contain control characters';
export const PRINTABLE = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';

const wordsSchema = z
  .string()
  .normalize('NFC')
  .refine(isPrintable, NOT_PRINTABLE)
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters')
  .transform((text) => text.split(/\s+/).filter(Boolean))
  .refine((words) => words.length > 0, 'must contain a word')
  .refine((words) => words.length <= MAX_WORDS, `must have at most ${MAX_WORDS} words`);

export const changeFilterParameters = z.object({
  type: z
    .array(typeSchema)
    .min(1)
    .max(MAX_TYPES, `must not occur more than ${MAX_TYPES} times`)
    .optional()
    .meta({ description: 'Only changes of this type. Repeat the parameter for several types.' }),
  severity: oneOf(SEVERITIES).optional().meta({ description: 'Only changes with this severity or higher.' }),
  artist_id: artistIdSchema.optional(),
  group_id: groupIdSchema.optional().meta({ description: 'Only changes to artists in this group.' }),
  entity_id: z
    .string()
    .refine(isPrintable, NOT_PRINTABLE)
    .min(1, 'must not be empty')
    .max(255, 'must be at most 255 characters')
    .optional()
    .meta({
      description: 'Only changes to the artist, release or track with this identifier on the streaming platform.',
      pattern: PRINTABLE,
    }),
  status: oneOf(CHANGE_STATUSES).optional().meta({ description: 'Only changes with this status in your account.' }),
  until: untilSchema.optional().meta({ description: 'Only changes confirmed before this time.' }),
});

export const includeTestParameter = z
  .string()
  .regex(/^(?:true|false)$/, '"include_test" must be true or false.')
  .transform((text) => text === 'true')
  .optional()
  .meta({ type: 'boolean', description: 'Includes test changes. Default: false.' });

export const searchParameter = wordsSchema.optional().meta({
  description:
    "Only changes with all of these words in the entity's name, the artist's name or the summary. Ignores case and accents.",
  pattern: PRINTABLE,
});
