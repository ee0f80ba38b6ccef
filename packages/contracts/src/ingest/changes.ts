import type { Platform } from '@artist-watch/domain/catalogue';
import { ENTITY_TYPES, SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import { inOurNames } from '../api/shown.js';
import { boundedText, instantSchema, liesInFuture, optional } from './field-types.js';
import { describeIssues } from './issues.js';

/** The body of `POST /ingest/v1/changes` (docs/reference/ingest.md). */

export const MAX_CHANGES = 1_000;

const MAX_ID_CHARACTERS = 255;
const MAX_NAME_CHARACTERS = 500;
const MAX_SUMMARY_CHARACTERS = 1_000;
const MAX_TYPE_CHARACTERS = 64;

/** A change from another detector. @param platform the platform in use. Changes on other platforms are rejected. */
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
    })
    .transform(({ platform: _, ...item }) => inOurNames(item));
}

export type IngestedChange = z.output<ReturnType<typeof ingestedChangeSchema>>;

/**
 * The request body before its items are parsed. Each item is parsed separately, so that the error can name every
 * invalid item.
 */
const batchSchema = z.strictObject({
  changes: z.array(z.unknown()).max(MAX_CHANGES, `must have at most ${MAX_CHANGES} items`),
});

export type ParsedBatch =
  | { readonly kind: 'valid'; readonly changes: readonly IngestedChange[] }
  /** The whole batch is rejected. The message names every invalid item by its index, starting at 0. */
  | { readonly kind: 'invalid'; readonly message: string };

/** The number of invalid items that the error message explains. For the others, the message has only the indexes. */
const MAX_EXPLAINED = 20;

/**
 * Returns a parser for request bodies that are already decoded from JSON. Create it once, because zod compiles a schema
 * on first use. That took a third of the time of a request with one change.
 */
export function ingestedBatchParser(platform: Platform): (body: unknown, now: Date) => ParsedBatch {
  const itemSchema = ingestedChangeSchema(platform);
  return (body, now) => {
    const batch = batchSchema.safeParse(body, { reportInput: true });
    if (!batch.success)
      return { kind: 'invalid', message: `Nothing was recorded: ${describeIssues(batch.error, 'the body')}.` };

    const changes: IngestedChange[] = [];
    const bad: string[] = [];
    for (const [index, item] of batch.data.changes.entries()) {
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
 * Rejects times in the future. A change confirmed in the future would stay at the top of every feed until that time. A
 * client that uses the time of its newest change as the next `since` would miss all changes before that time.
 */
function wrongInstant({ detectedAt, confirmedAt }: IngestedChange, now: Date): string | undefined {
  if (liesInFuture(detectedAt, now)) return 'detected_at is in the future';
  if (confirmedAt !== undefined && liesInFuture(confirmedAt, now)) return 'confirmed_at is in the future';
  if (confirmedAt !== undefined && confirmedAt < detectedAt) return 'confirmed_at is before detected_at';
  return undefined;
}

/**
 * The outcome of a new change. Every new change is stored. `recorded`: at least one account has it in its feed.
 * `not_watched`: no account watches the artist. `beyond_history`: the change is older than the history of every account
 * that watches the artist.
 */
export type NewOutcome = 'recorded' | 'not_watched' | 'beyond_history';

export interface IngestAnswer {
  /** Number of new changes, whatever their outcome. */
  readonly accepted: number;
  readonly duplicates: number;
  /** One result for each item, in the order of the request. */
  readonly results: readonly { readonly external_id: string; readonly outcome: NewOutcome | 'duplicate' }[];
}

/** A confirmed change from another detector, with default values for omitted fields. */
export interface ReportedChange extends Omit<IngestedChange, 'artistPlatformId' | 'artistName'> {
  readonly id: ChangeId;
  /** SHA-256 of the reported change. Reusing an external id for a change with a different digest is a conflict. */
  readonly digest: Uint8Array;
  readonly artist: { readonly platformId: string; readonly name: string };
  readonly severity: Severity;
  readonly summary: string;
  readonly confirmedAt: Date;
}

export type RecordedChanges =
  | {
      readonly kind: 'recorded';
      readonly accepted: readonly ChangeId[];
      /** The outcomes of the accepted changes, by external id. */
      readonly outcomes: ReadonlyMap<string, NewOutcome>;
      /** Number of changes that were recorded earlier, by any replica. */
      readonly duplicates: number;
    }
  /** Nothing was recorded, because these external ids were used before with different content. */
  | { readonly kind: 'conflict'; readonly externalIds: readonly string[] };
