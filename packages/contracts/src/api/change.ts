import { CHANGE_TYPES, ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { artistIdSchema, changeIdSchema } from './identifiers.js';
import { instantSchema } from './instant.js';
import { nextCursorSchema } from './paging.js';

/** A confirmed change (docs/reference/api.md). */
export const changeSchema = z
  .object({
    id: changeIdSchema,
    type: z.string().meta({
      description: `Known types: ${Object.keys(CHANGE_TYPES).join(', ')}. The list may grow: accept others.`,
      example: 'release_removed',
    }),
    severity: z.enum(SEVERITIES).describe('Gravest first: critical, warning, info.'),
    artist_id: artistIdSchema,
    summary: z.string().describe('A sentence for people.'),
    confirmed_at: instantSchema.describe('When the change was confirmed; what `since` compares with.'),
    entity_type: z.enum(ENTITY_TYPES).describe('What kind of thing changed.'),
    entity_id: z.string().describe("The thing's identifier on the streaming platform."),
    entity_name: z.string(),
    detected_at: instantSchema.describe('When the change was first seen.'),
  })
  .meta({ id: 'Change', description: 'A confirmed change to a watched artist.' });

export const changeListSchema = z
  .object({ data: z.array(changeSchema).describe('Newest first.'), next_cursor: nextCursorSchema })
  .meta({ id: 'ChangeList' });

export type ChangeItem = z.infer<typeof changeSchema>;
