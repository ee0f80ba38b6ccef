import { z } from 'zod';
import { storableText } from '../ingest/field-types.js';
import { oneOf, openEnum } from './enums.js';
import { artistIdSchema, groupIdSchema, instantSchema, listOf } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

export const MAX_GROUPS = 50;
export const MAX_GROUP_NAME_CHARS = 50;
/** The largest plan includes this many artists. */
export const MAX_GROUPED_ARTISTS = 500;

export const GROUP_COLORS = ['blue', 'teal', 'green', 'amber', 'red', 'pink', 'purple', 'gray'] as const;
export type GroupColor = (typeof GROUP_COLORS)[number];

export const groupSchema = z
  .object({
    id: groupIdSchema,
    name: z.string(),
    color: openEnum(GROUP_COLORS),
    artists: z.int().nonnegative().describe('Number of artists in the group.'),
    created_at: instantSchema,
  })
  .meta({ id: 'Group', description: 'A group of watched artists. An artist can be in several groups.' });

export const groupListSchema = listOf('GroupList', groupSchema, 'All groups, sorted by name.');

export type ShownGroup = Shown<z.infer<typeof groupSchema>>;

export const presentGroup = presenter(groupSchema);

const GROUP_NAME = '^[^ \\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

const nameSchema = storableText(MAX_GROUP_NAME_CHARS)
  .refine(
    (name) => new RegExp(GROUP_NAME).test(name),
    'must not be empty, start with a space or contain control characters',
  )
  .meta({
    description: `A name of 1 to ${MAX_GROUP_NAME_CHARS} characters. Names are unique, whatever their case.`,
    pattern: GROUP_NAME,
    maxLength: MAX_GROUP_NAME_CHARS,
    minLength: 1,
  });

export const createGroupSchema = z
  .strictObject({ name: nameSchema, color: oneOf(GROUP_COLORS).optional().describe('Default: gray.') })
  .meta({ id: 'CreateGroup' });

const artistsSchema = z
  .array(artistIdSchema)
  .max(MAX_GROUPED_ARTISTS, `must have at most ${MAX_GROUPED_ARTISTS} entries`);

export const updateGroupSchema = z
  .strictObject({
    name: nameSchema.optional(),
    color: oneOf(GROUP_COLORS).optional(),
    add_artist_ids: artistsSchema
      .optional()
      .describe('Adds these artists. Artists that the account does not watch are ignored.'),
    remove_artist_ids: artistsSchema.optional().describe('Removes these artists from the group.'),
  })
  .meta({ id: 'UpdateGroup', description: 'Omitted fields stay unchanged.' });
