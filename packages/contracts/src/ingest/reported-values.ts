import { CHANGE_TYPES, type EntityType, isDetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { ChangeValue, ChangeValues } from '@artist-watch/domain/change/change-value';
import type { JsonValue } from '@artist-watch/domain/change/difference';
import { z } from 'zod';
import { isStorable, optional } from './field-types.js';

/** `before` and `after` of a reported change (docs/reference/ingest.md). */

const MAX_VALUE_CHARACTERS = 10_000;
const MAX_DEPTH = 5;

/** Accepts values of limited size and depth whose texts can be stored unchanged. */
export const reportedJsonSchema = z.unknown().transform((value, context) => {
  const problem = problemOf(value as JsonValue, 0);
  if (problem === undefined) return value as JsonValue;
  context.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

/** Checks the depth first, because a deep value would overflow the stack of `JSON.stringify`. */
function problemOf(value: JsonValue, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH} levels deep`;
  if (typeof value === 'string' && !isStorable(value)) return 'must not contain NUL or a lone surrogate';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must not contain a number beyond 64-bit floats';
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

const credit = z
  .strictObject({ platform_id: orNull(text), name: text })
  .transform(({ platform_id: platformId, name }) => ({ platformId, name }));

const release = z
  .strictObject({
    platform_id: text,
    title: orNull(text),
    type: orNull(text),
    release_date: orNull(text),
    upc: orNull(text),
  })
  .transform(({ platform_id: platformId, release_date: releaseDate, ...rest }) => ({
    ...{ platformId, releaseDate, trackCount: null },
    ...rest,
  }));

const track = z
  .strictObject({ platform_id: text, title: orNull(text), isrc: orNull(text), position: orNull(z.int()) })
  .transform(({ platform_id: platformId, ...rest }) => ({ platformId, ...rest }));

const catalogue = z
  .strictObject({
    markets,
    releases: z.array(
      z
        .strictObject({ platform_id: text, title: text })
        .transform(({ platform_id: platformId, title }) => ({ platformId, title })),
    ),
    release_count: z.int(),
  })
  .transform(({ release_count: of, ...rest }) => ({ ...rest, of }));

/** The values of types that this service does not detect. */
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
export function parseReportedValues({ type, entityType, before, after }: ReportedPair): ChangeValues | null {
  if (before === undefined && after === undefined) return null;
  const values = PAIRS[formOf(type, entityType)].parse({ before, after }, { reportInput: true });
  return { before: values.before ?? null, after: values.after ?? null };
}

function formOf(type: string, entityType: EntityType): keyof typeof PAIRS {
  if (!isDetectedChangeType(type)) return 'json';
  const { value } = CHANGE_TYPES[type];
  return value === 'markets' && entityType === 'artist' ? 'catalogue' : value;
}
