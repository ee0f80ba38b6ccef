import { z } from 'zod';
import { feedIdSchema, instantSchema, listOf } from './identifiers.js';
import { presenter } from './shown.js';

/** Below {base_url}. */
export const FEED_PATH = '/changes/feed.atom';

export const MAX_FEED_NAME_CHARS = 100;

const nameSchema = z
  .string()
  .min(1)
  .max(MAX_FEED_NAME_CHARS)
  .refine((text) => !/\p{Cc}/u.test(text), 'must hold no control characters')
  .nullable()
  .meta({ pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$' });

export const createFeedSchema = z
  .strictObject({ name: nameSchema.optional().describe('What its owner calls it.') })
  .meta({ id: 'CreateFeed' });

const feedFields = z.object({
  id: feedIdSchema,
  name: z.string().nullable(),
  hint: z.string().describe('First characters of the token.'),
  created_at: instantSchema,
  created_by: z.string().describe('The address of a member, the id of an API key, or `operator`.'),
  last_used_at: instantSchema.nullable().describe('Up to a minute behind; null before the first request.'),
});

export const feedSchema = feedFields.meta({ id: 'Feed', description: 'A token for the private Atom feed.' });

export const createdFeedSchema = feedFields
  .extend({
    token: z.string().describe('Shown this once.'),
    path: z.string().describe('Where the feed is, below the origin of {base_url}; takes the filters of changes too.'),
  })
  .meta({ id: 'CreatedFeed', description: 'A token for the private Atom feed, with the token.' });

export const feedListSchema = listOf('FeedList', feedSchema, 'Newest first: all there are.');

export type FeedItem = z.infer<typeof feedSchema>;

export const presentFeed = presenter(feedSchema);
