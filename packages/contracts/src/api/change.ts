import type { Platform } from '@artist-watch/domain/catalogue';
import { CHANGE_STATUSES, MAX_NOTE_CHARS } from '@artist-watch/domain/change/change-types';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import type { ReleaseFacts } from '@artist-watch/domain/change/difference';
import type { CustomerObservation } from '@artist-watch/domain/detection/customer-evidence';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { storableText } from '../ingest/field-types.js';
import { creditSchema, presentCredit } from './artist.js';
import {
  artistIdSchema,
  changeIdSchema,
  changeTypeSchema,
  entityTypeSchema,
  instantSchema,
  listOf,
  oneOf,
  openEnum,
  presenter,
  type Shown,
  severitySchema,
} from './fields.js';

/** docs/api/changes.md shows `before` and `after` for each change type. */

const releaseSchema = z
  .object({
    platform_id: z.string(),
    title: z.string().nullable(),
    type: z.string().nullable().describe('Such as album, single, ep or compilation.'),
    release_date: z.string().nullable().describe('YYYY-MM-DD, YYYY-MM or YYYY.'),
    upc: z.string().nullable(),
  })
  .meta({ id: 'ChangeRelease', description: 'Identifies an added or removed release.' });

const trackSchema = z
  .object({
    platform_id: z.string(),
    title: z.string().nullable(),
    isrc: z.string().nullable(),
    position: z.int().nullable().describe('Position in the release, counted from 1 across all discs.'),
  })
  .meta({ id: 'ChangeTrack', description: 'Identifies an added or removed track.' });

const catalogueSchema = z
  .object({
    markets: z.array(z.string()).describe('ISO 3166-1 alpha-2 codes.'),
    releases: z.array(z.object({ platform_id: z.string(), title: z.string() })),
    release_count: z.int().describe("The artist's total number of releases."),
  })
  .meta({
    id: 'ChangeCatalogue',
    description: 'Countries in which many releases of an artist became available or unavailable at the same time.',
  });

export const changeValueSchema = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.array(creditSchema),
    z.array(z.string()),
    releaseSchema,
    trackSchema,
    catalogueSchema,
    z.record(z.string(), z.unknown()),
    z.null(),
  ])
  .meta({
    id: 'ChangeValue',
    description:
      "The form depends on the change type: text (title, name, label, UPC, ISRC), a date, a picture's content id, a flag, a number, credits, countries, a release or a track. For types that we do not detect, it can be any object. " +
      'Null if there was no value, if there no longer is one, or if none was reported.',
  });

type ChangeValueItem = z.infer<typeof changeValueSchema>;

const presentRelease = presenter(releaseSchema);
const presentTrack = presenter(trackSchema);

export function changeValueItem(value: ChangeValue | null): ChangeValueItem {
  switch (value?.kind) {
    case undefined:
      return null;
    case 'text':
    case 'date':
    case 'picture':
    case 'flag':
    case 'number':
      return value.value;
    case 'markets':
      return [...value.value];
    case 'credits':
      return value.value.map(presentCredit);
    case 'release':
      return presentRelease(value.value);
    case 'track':
      return presentTrack(value.value);
    case 'catalogue': {
      const { markets, releases, of } = value.value;
      return {
        markets: [...markets],
        releases: releases.map(({ platformId, title }) => ({ platform_id: platformId, title })),
        release_count: of,
      };
    }
    case 'json':
      return value.value;
  }
}

/** Maximum length of a value's JSON. `GET /v1/changes/{id}` also returns longer values. */
export const SHORT_VALUE_LENGTH = 1_000;

/** Returns the values for lists and webhooks, in which long values are omitted. */
export function shortValues(values: { readonly before: ChangeValue | null; readonly after: ChangeValue | null }): {
  before?: ChangeValueItem;
  after?: ChangeValueItem;
} {
  const before = changeValueItem(values.before);
  const after = changeValueItem(values.after);
  return { ...(isShort(before) && { before }), ...(isShort(after) && { after }) };
}

function isShort(value: ChangeValueItem): boolean {
  return JSON.stringify(value).length <= SHORT_VALUE_LENGTH;
}

/** The eleven fields from the first version of the documentation come first. */
const fieldsSchema = z.object({
  id: changeIdSchema,
  type: changeTypeSchema,
  severity: severitySchema,
  artist_id: artistIdSchema,
  summary: z.string().describe('A human-readable sentence.'),
  confirmed_at: instantSchema.describe(
    'Time when the change was confirmed. The parameter `since` filters by this time.',
  ),
  entity_type: entityTypeSchema,
  entity_id: z.string().describe('The identifier of the artist, release or track on the streaming platform.'),
  entity_name: z.string(),
  detected_at: instantSchema.describe('Time when the change was first seen.'),
  artist_name: z.string().describe("The artist's name at the time of confirmation."),
  platform_url: z
    .string()
    .nullable()
    .describe("The entity's page on Deezer or Spotify. Null if `entity_id` is not one of their ids."),
  recorded_at: instantSchema.describe(
    'Time when the change was recorded, which can be long after `confirmed_at`. ' +
      'Equals `confirmed_at` for changes recorded before this field was introduced.',
  ),
});

const presentFields = presenter(fieldsSchema);

const handlingSchema = z.object({
  status: openEnum(
    CHANGE_STATUSES,
    'The status of the change in your account. `open`: not handled yet. `expected`: the change was intended.',
  ),
  note: z.string().nullable(),
  assignee: z.string().nullable().describe('The email address of the member who handles the change.'),
});

const testSchema = z.boolean().optional().describe('Always true. Present only in test changes.');

export const changeSchema = fieldsSchema
  .extend({
    before: changeValueSchema.optional(),
    after: changeValueSchema.optional(),
    test: testSchema,
    ...handlingSchema.shape,
  })
  .meta({
    id: 'Change',
    description: `A confirmed change to a watched artist. \`before\` or \`after\` is omitted if its JSON is longer than ${SHORT_VALUE_LENGTH} characters.`,
  });

const observationSchema = z
  .object({
    observed_at: instantSchema,
    kind: openEnum(
      ['counted', 'not_counted', 'held'],
      '`counted`: the observation counts toward the change. ' +
        '`not_counted`: it does not count, and `text` gives the reason. ' +
        '`held`: too many entities were missing at the same time, so the change needed more observations than usual.',
    ),
    text: z.string().describe('A human-readable sentence.'),
    readings: z
      .array(
        z.object({
          read: openEnum(
            ['list', 'direct'],
            '`list`: a complete list or entity was read. `direct`: the entity was requested by its id.',
          ),
          said: openEnum(
            ['missing', 'changed', 'present', 'gone', 'unclear'],
            '`missing`: not in the list. `changed`: a different value. `present`: as before. `gone`: does not exist. ' +
              '`unclear`: the response was inconclusive.',
          ),
        }),
      )
      .describe('The reads of this observation and their results. Empty if nothing was read.'),
    seen: changeValueSchema,
  })
  .meta({
    id: 'ChangeObservation',
    description: 'An observation that was checked for the change, whether it counted or not.',
  });

const presentObservation = presenter(observationSchema);

export const changeDetailSchema = fieldsSchema
  .extend({
    before: changeValueSchema,
    after: changeValueSchema,
    test: testSchema,
    ...handlingSchema.shape,
    release_id: z.string().nullable().describe('For a track, its release. Otherwise null.'),
    release_name: z.string().nullable(),
    origin: openEnum(
      ['observed', 'reported'],
      '`observed`: we detected the change. `reported`: another detector reported it to us and keeps the evidence.',
    ),
    observations: z.array(observationSchema).describe('The evidence, oldest first. Empty for a reported change.'),
  })
  .meta({ id: 'ChangeDetail', description: 'A confirmed change with its evidence.' });

const MAX_ADDRESS_CHARS = 320;

/** Omitted fields stay unchanged. */
export const updateChangeSchema = z
  .strictObject({
    status: oneOf(CHANGE_STATUSES).optional(),
    note: storableText(MAX_NOTE_CHARS)
      .nullable()
      .optional()
      .meta({ description: `Up to ${MAX_NOTE_CHARS} characters. Null removes the note.`, maxLength: MAX_NOTE_CHARS }),
    assignee: storableText(MAX_ADDRESS_CHARS)
      .nullable()
      .optional()
      .meta({ description: 'The email address of a member. Null removes the assignee.', maxLength: MAX_ADDRESS_CHARS }),
  })
  .meta({ id: 'UpdateChange' });

export const changeListSchema = listOf(
  'ChangeList',
  changeSchema,
  'Newest first. With `after`, in the order in which the changes became available.',
  'To get the next page, send this as `cursor`, or as `after` if the request had `after`, ' +
    'or use the URL in the `Link` header. Null on the last page; never null with `after`.',
);

export type ChangeItem = z.infer<typeof changeSchema>;
export type ChangeDetail = z.infer<typeof changeDetailSchema>;

export type ChangeHandling = Shown<z.infer<typeof handlingSchema>>;

export const UNHANDLED: ChangeHandling = { status: 'open', note: null, assignee: null };

type ValuesAndEvidence = 'platformUrl' | 'test' | 'before' | 'after' | 'origin' | 'observations' | keyof ChangeHandling;

/** Contains no account data. */
export interface ConfirmedChange extends Omit<Shown<ChangeDetail>, ValuesAndEvidence> {
  readonly platform: Platform;
  readonly isTest?: boolean | undefined;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
  readonly facts?: ReleaseFacts | undefined;
}

export type AccountChange = ConfirmedChange & ChangeHandling;

export interface EvidencedChange extends AccountChange {
  /** Null if no one has changed the status. */
  readonly statusBy: string | null;
  readonly statusAt: Date | null;
  readonly origin: 'observed' | 'reported';
  readonly observations: readonly CustomerObservation[];
}

/** Omits the status, note and assignee, so that all accounts get the same item. */
export function changeItem(change: ConfirmedChange): Omit<ChangeItem, keyof ChangeHandling> {
  return { ...changeFields(change), ...shortValues(change), ...testField(change) };
}

export function changeDetail({ origin, observations, ...change }: EvidencedChange): ChangeDetail {
  const presented = observations.map((one) => presentObservation({ ...one, seen: changeValueItem(one.seen) }));
  return { ...changeInFull(change), origin, observations: presented };
}

export function changeInFull(change: AccountChange) {
  return {
    ...changeFields(change),
    before: changeValueItem(change.before),
    after: changeValueItem(change.after),
    ...testField(change),
    release_id: change.releaseId,
    release_name: change.releaseName,
    status: change.status,
    note: change.note,
    assignee: change.assignee,
  };
}

function testField({ isTest }: ConfirmedChange): Pick<ChangeItem, 'test'> {
  return isTest ? { test: true } : {};
}

export function changeFields(change: ConfirmedChange): z.infer<typeof fieldsSchema> {
  const { platform, entityType, entityId } = change;
  return presentFields({ ...change, platformUrl: knownPlatformUrl(platform, entityType, entityId) });
}
