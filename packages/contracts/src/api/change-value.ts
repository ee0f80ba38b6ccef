import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import { z } from 'zod';
import { creditSchema, presentCredit } from './artist.js';
import { presenter } from './shown.js';

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

export type ChangeValueItem = z.infer<typeof changeValueSchema>;

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
