import type { Platform } from '@artist-watch/domain/catalogue';
import { CHANGE_TYPES, ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import type { CustomerObservation } from '@artist-watch/domain/detection/customer-evidence';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { changeValueItem, changeValueSchema, SHORT_VALUE_LENGTH, shortValues } from './change-value.js';
import { artistIdSchema, changeIdSchema, instantSchema, listOf } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

/** What every answer says of a confirmed change (docs/reference/api.md). SPEC's fields first. */
const fieldsSchema = z.object({
  id: changeIdSchema,
  type: z.string().meta({
    description: `Known types: ${Object.keys(CHANGE_TYPES).join(', ')}. The list may grow: accept others.`,
    example: 'release_removed',
  }),
  severity: z.enum(SEVERITIES).describe('Highest first: critical, warning, info.'),
  artist_id: artistIdSchema,
  summary: z.string().describe('A sentence for people.'),
  confirmed_at: instantSchema.describe('When the change was confirmed; what `since` compares with.'),
  entity_type: z.enum(ENTITY_TYPES).describe('What kind of thing changed.'),
  entity_id: z.string().describe("The thing's identifier on the streaming platform."),
  entity_name: z.string(),
  detected_at: instantSchema.describe('When the change was first seen.'),
  artist_name: z.string().describe('As it was when the change was confirmed.'),
  platform_url: z
    .string()
    .nullable()
    .describe("The entity's page on Deezer or Spotify. Null if `entity_id` is not one of their ids."),
  recorded_at: instantSchema.describe(
    'When the change was recorded, possibly long after `confirmed_at`. It equals `confirmed_at` for changes recorded before this field existed.',
  ),
});

export const presentFields = presenter(fieldsSchema);

export const changeSchema = fieldsSchema
  .extend({ before: changeValueSchema.optional(), after: changeValueSchema.optional() })
  .meta({
    id: 'Change',
    description: `A confirmed change to a watched artist. \`before\` or \`after\` is left out where its JSON is longer than ${SHORT_VALUE_LENGTH} characters.`,
  });

const observationSchema = z
  .object({
    observed_at: instantSchema,
    kind: z
      .enum(['counted', 'not_counted', 'held'])
      .describe(
        '`counted` counts towards the change. `not_counted` does not, and the sentence says why. `held`: on ' +
          'hold for more observations, because so much was missing at once.',
      ),
    text: z.string().describe('A sentence for people.'),
    readings: z
      .array(
        z.object({
          read: z
            .enum(['list', 'direct'])
            .describe('`list`: a complete list or entity. `direct`: the entity, requested by its own id.'),
          said: z
            .enum(['missing', 'changed', 'present', 'gone', 'unclear'])
            .describe(
              '`missing` from the list, `changed`, `present` as before, `gone` for good, or an `unclear` response.',
            ),
        }),
      )
      .describe('The requests and their results. Empty if nothing was read.'),
    seen: changeValueSchema,
  })
  .meta({
    id: 'ChangeObservation',
    description: 'An observation that counted for a change, or that did not count.',
  });

export const presentObservation = presenter(observationSchema);

export const changeDetailSchema = fieldsSchema
  .extend({
    before: changeValueSchema,
    after: changeValueSchema,
    release_id: z.string().nullable().describe('The release of a track. Null for artists and releases.'),
    release_name: z.string().nullable(),
    origin: z
      .enum(['observed', 'reported'])
      .describe('`observed` by us, or `reported` by another detector, which has the evidence.'),
    observations: z.array(observationSchema).describe('The evidence, oldest first. Empty for a reported change.'),
  })
  .meta({ id: 'ChangeDetail', description: 'A confirmed change with the evidence for it.' });

export const changeListSchema = listOf(
  'ChangeList',
  changeSchema,
  'Newest first; with `after`, in the order in which they became readable.',
);

export type ChangeItem = z.infer<typeof changeSchema>;
export type ChangeDetail = z.infer<typeof changeDetailSchema>;

type ValuesAndEvidence = 'platformUrl' | 'before' | 'after' | 'origin' | 'observations';

/** A confirmed change as the record has it for the accounts that watch the artist. */
export interface ConfirmedChange extends Omit<Shown<ChangeDetail>, ValuesAndEvidence> {
  readonly platform: Platform;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

export interface EvidencedChange extends ConfirmedChange {
  readonly origin: 'observed' | 'reported';
  readonly observations: readonly CustomerObservation[];
}

/** An item of a list. Does not depend on who asks, nor on when. */
export function changeItem(change: ConfirmedChange): ChangeItem {
  return { ...changeFields(change), ...shortValues(change) };
}

export function changeDetail({ origin, observations, ...change }: EvidencedChange): ChangeDetail {
  const presented = observations.map((one) => presentObservation({ ...one, seen: changeValueItem(one.seen) }));
  return { ...changeInFull(change), origin, observations: presented };
}

/** With its values, however long they are. */
export function changeInFull(change: ConfirmedChange) {
  return {
    ...changeFields(change),
    before: changeValueItem(change.before),
    after: changeValueItem(change.after),
    release_id: change.releaseId,
    release_name: change.releaseName,
  };
}

export function changeFields(change: ConfirmedChange): Omit<ChangeItem, 'before' | 'after'> {
  const { platform, entityType, entityId } = change;
  return presentFields({ ...change, platformUrl: knownPlatformUrl(platform, entityType, entityId) });
}
