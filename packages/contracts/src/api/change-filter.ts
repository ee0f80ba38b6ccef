import { CHANGE_STATUSES } from '@artist-watch/domain/change/change-status';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { oneOf } from './enums.js';
import { artistIdSchema, groupIdSchema } from './identifiers.js';
import { untilSchema } from './since.js';

/** See docs/api/requests.md. */

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
  severity: oneOf(SEVERITIES).optional().meta({ description: 'Only changes with this severity or a higher one.' }),
  artist_id: artistIdSchema.optional(),
  group_id: groupIdSchema.optional().meta({ description: 'Only changes of artists in this group.' }),
  entity_id: z
    .string()
    .refine(isPrintable, NOT_PRINTABLE)
    .min(1, 'must not be empty')
    .max(255, 'must be at most 255 characters')
    .optional()
    .meta({
      description: 'Only changes of the artist, release or track that has this identifier on the streaming platform.',
      pattern: PRINTABLE,
    }),
  status: oneOf(CHANGE_STATUSES)
    .optional()
    .meta({ description: 'Only changes that have this status in your account.' }),
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
