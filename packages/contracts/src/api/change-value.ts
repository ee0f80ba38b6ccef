import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import { z } from 'zod';

/** `before` and `after` of a change (docs/changes.md says which type has which). */

const creditSchema = z
  .object({ platform_id: z.string().nullable(), name: z.string() })
  .meta({ id: 'ChangeCredit', description: 'A credited artist.' });

const releaseSchema = z
  .object({
    platform_id: z.string(),
    title: z.string().nullable(),
    type: z.string().nullable().describe('album, single, ep, compilation.'),
    release_date: z.string().nullable().describe('YYYY-MM-DD, or shorter.'),
    upc: z.string().nullable(),
  })
  .meta({ id: 'ChangeRelease', description: 'What identifies a release that came or went.' });

const trackSchema = z
  .object({
    platform_id: z.string(),
    title: z.string().nullable(),
    isrc: z.string().nullable(),
    position: z.int().nullable().describe('From 1, over all discs.'),
  })
  .meta({ id: 'ChangeTrack', description: 'What identifies a track that came or went.' });

const catalogueSchema = z
  .object({
    markets: z.array(z.string()).describe('ISO 3166-1 alpha-2 codes.'),
    releases: z.array(z.object({ platform_id: z.string(), title: z.string() })),
    release_count: z.int().describe('How many releases the artist has in all.'),
  })
  .meta({ id: 'ChangeCatalogue', description: 'Countries in which many releases of an artist could be played.' });

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
    z.null(),
  ])
  .meta({
    id: 'ChangeValue',
    description:
      'Text (title, name, label, UPC, ISRC), a date, the content id of a picture, a flag, a number, credits, countries, or ' +
      'what identifies a release or a track. The type of the change decides which one it is; null for what was not ' +
      'there, is no longer there, or was not reported.',
  });

export type ChangeValueItem = z.infer<typeof changeValueSchema>;

/** A value as the API and webhooks show it. */
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
      return value.value.map(({ platformId, name }) => ({ platform_id: platformId, name }));
    case 'release': {
      const { platformId, title, type, releaseDate, upc } = value.value;
      return { platform_id: platformId, title, type, release_date: releaseDate, upc };
    }
    case 'track': {
      const { platformId, title, isrc, position } = value.value;
      return { platform_id: platformId, title, isrc, position };
    }
    case 'catalogue': {
      const { markets, releases, of } = value.value;
      return {
        markets: [...markets],
        releases: releases.map(({ platformId, title }) => ({ platform_id: platformId, title })),
        release_count: of,
      };
    }
  }
}

/** Longer values, in UTF-16 units of their JSON, stand in `GET /v1/changes/{id}` alone; 185 countries are shorter. */
export const SHORT_VALUE_LENGTH = 1_000;

/** `before` and `after` as lists and webhooks have them: each left out where it is too long. */
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
