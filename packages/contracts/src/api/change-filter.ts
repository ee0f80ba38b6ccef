import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { artistIdSchema } from './identifiers.js';
import { untilSchema } from './since.js';

/** Filters of changes, as query parameters (docs/reference/api.md). */

const MAX_TYPES = 20;
const MAX_WORDS = 10;

const typeSchema = z
  .string()
  .max(64, 'must be at most 64 characters')
  .regex(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/, 'must be snake_case, such as release_removed');

/** PostgreSQL takes no NUL, and no name has any of the others. */
export const isPrintable = (text: string) => !/\p{Cc}/u.test(text);
export const NOT_PRINTABLE = 'must hold no control characters';
/** The same for programs: Unicode's category Cc. */
export const PRINTABLE = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';

const wordsSchema = z
  .string()
  .normalize('NFC')
  .refine(isPrintable, NOT_PRINTABLE)
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters')
  .transform((text) => text.split(/\s+/).filter(Boolean))
  .refine((words) => words.length > 0, 'must hold a word')
  .refine((words) => words.length <= MAX_WORDS, `must hold at most ${MAX_WORDS} words`);

/** Of the changes of a feed; `type` may be given several times. */
export const changeFilterParameters = z.object({
  type: z
    .array(typeSchema)
    .min(1)
    .max(MAX_TYPES, `must be given at most ${MAX_TYPES} times`)
    .optional()
    .meta({ description: 'Changes of this type; of any of them where it is given several times.' }),
  severity: z
    .enum(SEVERITIES, { error: `must be one of ${SEVERITIES.join(', ')}` })
    .optional()
    .meta({ description: 'Changes of this severity or higher.' }),
  artist_id: artistIdSchema.optional(),
  entity_id: z
    .string()
    .refine(isPrintable, NOT_PRINTABLE)
    .min(1, 'must not be empty')
    .max(255, 'must be at most 255 characters')
    .optional()
    .meta({
      description: 'The identifier of an artist, a release or a track on the streaming platform.',
      pattern: PRINTABLE,
    }),
  until: untilSchema.optional().meta({ description: 'Changes confirmed before this instant.' }),
});

export const searchParameter = wordsSchema.optional().meta({
  description: 'Words that all occur in the name of the entity or the artist, or in the summary.',
  pattern: PRINTABLE,
});
