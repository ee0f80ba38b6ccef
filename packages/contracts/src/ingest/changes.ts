import { setImmediate } from 'node:timers/promises';
import type { Platform } from '@artist-watch/domain/catalogue';
import {
  CHANGE_TYPES,
  ENTITY_TYPES,
  type EntityType,
  isDetectedChangeType,
  SEVERITIES,
  type Severity,
} from '@artist-watch/domain/change/change-types';
import type { ChangeValue, ChangeValues } from '@artist-watch/domain/change/change-value';
import type { JsonValue } from '@artist-watch/domain/change/difference';
import type { ChangeId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import { describeIssues } from '../api/errors.js';
import { inOurNames } from '../api/fields.js';
import { boundedText, instantSchema, isStorable, liesInFuture, optional } from './field-types.js';

/** See docs/reference/ingest.md. */

export const MAX_CHANGES = 1_000;

/** Processing a thousand changes in one go would delay every other request by a tenth of a second. */
export const CHANGES_PER_TICK = 25;

const MAX_ID_CHARACTERS = 255;
const MAX_NAME_CHARACTERS = 500;
const MAX_SUMMARY_CHARACTERS = 1_000;
const MAX_TYPE_CHARACTERS = 64;

/** `before` and `after` in a reported change (docs/reference/ingest.md). */

const MAX_VALUE_CHARACTERS = 10_000;
const MAX_DEPTH = 5;

/** Accepts values whose size and depth are limited and whose text can be stored unchanged. */
const reportedJsonSchema = z.unknown().transform((value, context) => {
  const problem = problemOf(value as JsonValue, 0);
  if (problem === undefined) return value as JsonValue;
  context.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

/** Check the depth first, because a deeply nested value would make `JSON.stringify` overflow the stack. */
function problemOf(value: JsonValue, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  if (typeof value === 'string' && !isStorable(value)) return 'must not contain NUL or a lone surrogate';
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'must not contain a number that exceeds a 64-bit float';
  if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      const problem = problemOf(name, depth) ?? problemOf(part, depth + 1);
      if (problem !== undefined) return problem;
    }
  }
  const isLong = depth === 0 && JSON.stringify(value).length > MAX_VALUE_CHARACTERS;
  return isLong ? `must have at most ${MAX_VALUE_CHARACTERS} characters as JSON` : undefined;
}

const as = (kind: ChangeValue['kind'], schema: z.ZodType) =>
  schema.transform((value) => ({ kind, value }) as ChangeValue);

const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);
const text = z.string();
const markets = z.array(text.regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 code'));

const credit = z.strictObject({ platform_id: orNull(text), name: text }).transform(inOurNames);

const release = z
  .strictObject({
    platform_id: text,
    title: orNull(text),
    type: orNull(text),
    release_date: orNull(text),
    upc: orNull(text),
  })
  .transform((fields) => ({ ...inOurNames(fields), trackCount: null }));

const track = z
  .strictObject({ platform_id: text, title: orNull(text), isrc: orNull(text), position: orNull(z.int()) })
  .transform(inOurNames);

const catalogue = z
  .strictObject({
    markets,
    releases: z.array(z.strictObject({ platform_id: text, title: text }).transform(inOurNames)),
    release_count: z.int(),
  })
  .transform(({ release_count: of, ...rest }) => ({ ...rest, of }));

/** Values for change types that this service does not detect. */
const anyValue = z.union(
  [
    as('text', text),
    as('number', z.number()),
    as('flag', z.boolean()),
    as('json', z.record(text, z.custom<JsonValue>())),
  ],
  { error: 'must be a string, a number, true, false or an object' },
);

const pairOf = (value: z.ZodType<ChangeValue>) => z.object({ before: optional(value), after: optional(value) });
const never = z.custom<undefined>((value) => value === undefined, 'must be omitted for this type');

const PAIRS = {
  nothing: z.object({ before: never, after: never }),
  text: pairOf(as('text', text)),
  date: pairOf(as('date', text.regex(/^\d{4}(?:-\d{2}){0,2}$/, 'must be YYYY-MM-DD, YYYY-MM or YYYY'))),
  picture: pairOf(as('picture', text)),
  flag: pairOf(as('flag', z.boolean())),
  number: pairOf(as('number', z.int())),
  credits: pairOf(as('credits', z.array(credit))),
  markets: pairOf(as('markets', markets)),
  release: pairOf(as('release', release)),
  track: pairOf(as('track', track)),
  catalogue: pairOf(as('catalogue', catalogue)),
  json: pairOf(anyValue),
} as const;

interface ReportedPair {
  readonly type: string;
  readonly entityType: EntityType;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/**
 * Parses `before` and `after` in the form that the API documents for the type. Returns null if both are absent.
 * @throws {z.ZodError}
 */
function parseReportedValues({ type, entityType, before, after }: ReportedPair): ChangeValues | null {
  if (before === undefined && after === undefined) return null;
  const values = PAIRS[formOf(type, entityType)].parse({ before, after }, { reportInput: true });
  return { before: values.before ?? null, after: values.after ?? null };
}

function formOf(type: string, entityType: EntityType): keyof typeof PAIRS {
  if (!isDetectedChangeType(type)) return 'json';
  const { value } = CHANGE_TYPES[type];
  return value === 'markets' && entityType === 'artist' ? 'catalogue' : value;
}

function ingestedChangeSchema(platform: Platform) {
  return z
    .strictObject({
      external_id: boundedText(MAX_ID_CHARACTERS),
      platform: z.literal(platform, { error: `must be "${platform}", the platform in use` }),
      artist_platform_id: boundedText(MAX_ID_CHARACTERS),
      artist_name: boundedText(MAX_NAME_CHARACTERS),
      type: z
        .string()
        .max(MAX_TYPE_CHARACTERS, `must be at most ${MAX_TYPE_CHARACTERS} characters`)
        .regex(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/, 'must be snake_case'),
      severity: optional(z.enum(SEVERITIES, { error: `must be one of ${SEVERITIES.join(', ')}` })),
      entity_type: z.enum(ENTITY_TYPES, { error: `must be one of ${ENTITY_TYPES.join(', ')}` }),
      entity_id: boundedText(MAX_ID_CHARACTERS),
      entity_name: boundedText(MAX_NAME_CHARACTERS),
      summary: optional(boundedText(MAX_SUMMARY_CHARACTERS)),
      detected_at: instantSchema,
      confirmed_at: optional(instantSchema),
      before: optional(reportedJsonSchema),
      after: optional(reportedJsonSchema),
    })
    .transform(({ platform: _, ...fields }, context) => {
      const item = inOurNames(fields);
      try {
        return { ...item, values: parseReportedValues(item) };
      } catch (error) {
        if (!(error instanceof z.ZodError)) throw error;
        context.issues.push(...(error.issues as typeof context.issues));
        return z.NEVER;
      }
    });
}

export type IngestedChange = z.output<ReturnType<typeof ingestedChangeSchema>>;

/** Each item is parsed separately, so that the error can list every invalid item. */
const batchSchema = z.strictObject({
  changes: z.array(z.unknown()).max(MAX_CHANGES, `must have at most ${MAX_CHANGES} items`),
});

export type ParsedBatch =
  | { readonly kind: 'valid'; readonly changes: readonly IngestedChange[] }
  /** The message lists every invalid item by its index, starting at 0. */
  | { readonly kind: 'invalid'; readonly message: string };

/** The error message gives the reasons for the first 20 invalid items, and only the indexes of the rest. */
const MAX_EXPLAINED = 20;

/**
 * Create the parser only once, because zod compiles a schema when it is first used. Compiling it for every request took
 * a third of a small request's time.
 */
export function ingestedBatchParser(platform: Platform): (body: unknown, now: Date) => Promise<ParsedBatch> {
  const itemSchema = ingestedChangeSchema(platform);
  return async (body, now) => {
    const batch = batchSchema.safeParse(body, { reportInput: true });
    if (!batch.success)
      return { kind: 'invalid', message: `Nothing was recorded: ${describeIssues(batch.error, 'the body')}.` };

    const changes: IngestedChange[] = [];
    const bad: string[] = [];
    for (const [index, item] of batch.data.changes.entries()) {
      if (index > 0 && index % CHANGES_PER_TICK === 0) await setImmediate();
      const parsed = itemSchema.safeParse(item, { reportInput: true });
      const problem = parsed.success ? wrongInstant(parsed.data, now) : describeIssues(parsed.error, 'the item');
      if (parsed.success && problem === undefined) changes.push(parsed.data);
      else bad.push(bad.length < MAX_EXPLAINED ? `${index} (${problem})` : String(index));
    }
    if (bad.length === 0) return { kind: 'valid', changes };
    return { kind: 'invalid', message: `Nothing was recorded. Invalid items, counted from 0: ${bad.join(', ')}.` };
  };
}

/**
 * A change dated in the future would stay at the top of every feed, and clients using `since` would miss earlier
 * changes.
 */
function wrongInstant({ detectedAt, confirmedAt }: IngestedChange, now: Date): string | undefined {
  if (liesInFuture(detectedAt, now)) return 'detected_at is in the future';
  if (confirmedAt !== undefined && liesInFuture(confirmedAt, now)) return 'confirmed_at is in the future';
  if (confirmedAt !== undefined && confirmedAt < detectedAt) return 'confirmed_at is before detected_at';
  return undefined;
}

/**
 * All new changes are stored. A change is marked `beyond_history` if it was confirmed before the start of the history
 * of every account that watches the artist.
 */
export type NewOutcome = 'recorded' | 'not_watched' | 'beyond_history';

export interface IngestAnswer {
  /** The number of new changes that were stored. */
  readonly accepted: number;
  readonly duplicates: number;
  readonly results: readonly { readonly external_id: string; readonly outcome: NewOutcome | 'duplicate' }[];
}

export interface ReportedChange extends Omit<IngestedChange, 'artistPlatformId' | 'artistName' | 'before' | 'after'> {
  readonly id: ChangeId;
  /** SHA-256 of the change. Reusing an external id with a different digest is a conflict. */
  readonly digest: Uint8Array;
  readonly artist: { readonly platformId: string; readonly name: string };
  readonly severity: Severity;
  readonly summary: string;
  readonly confirmedAt: Date;
}

export type RecordedChanges =
  | {
      readonly kind: 'recorded';
      readonly accepted: readonly ReportedChange[];
      /** By external id. */
      readonly outcomes: ReadonlyMap<string, NewOutcome>;
      /** The number of changes that had already been recorded, possibly by another replica. */
      readonly duplicates: number;
    }
  /** Nothing was recorded, because these ids have already been used with different content. */
  | { readonly kind: 'conflict'; readonly externalIds: readonly string[] };
