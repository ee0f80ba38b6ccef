import { z } from 'zod';
import { isPrintable, NOT_PRINTABLE, PRINTABLE } from './change-filter.js';
import { artistIdSchema, instantSchema, listOf } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

const MAX_QUERY_CHARS = 200;

export const ARTIST_STATUSES = ['pending', 'active', 'not_found', 'stale'] as const;
export type ArtistStatus = (typeof ARTIST_STATUSES)[number];

/** Whether a count was ever shown by the platform: a 0 that was not is no count. */
const availabilitySchema = z.enum(['available', 'unavailable']);

/** A watched artist (docs/reference/api.md). Its instants belong to the account's own watch (docs/adr/0027). */
export const artistSchema = z
  .object({
    id: artistIdSchema.describe('What `artist_id` of a change refers to.'),
    platform_id: z.string().describe("The artist's identifier on the streaming platform."),
    name: z.string().describe('The artist name; the platform id until the artist was first read.'),
    monthly_listeners: z.int().nonnegative().describe('The last known value; 0 before the first.'),
    followers: z.int().nonnegative().describe('The last known value; 0 before the first.'),
    metrics_observed_at: instantSchema
      .nullable()
      .describe('How fresh the two numbers are at least; null until a reading after this watch began showed them.'),
    status: z
      .enum(ARTIST_STATUSES)
      .describe(
        '`pending` until the first complete reading after this watch began; `active`; `not_found`: the platform has no ' +
          'such artist, and after an hour of that the watch costs no place of the plan; `stale`: no complete reading for ' +
          "three of the plan's intervals.",
      ),
    last_complete_at: instantSchema
      .nullable()
      .describe("The last complete reading that the account's plan asked for; null before the first of this watch."),
    next_read_at: instantSchema.describe(
      'When the plan has the artist read next, at the latest. A new artist is read within seconds; an instant that has ' +
        'passed means that the reading is late.',
    ),
    watched_since: instantSchema.describe('When this watch began.'),
    platform_url: z.string().describe("The artist's page on the platform."),
    metrics: z
      .object({ followers: availabilitySchema, monthly_listeners: availabilitySchema })
      .describe(
        '`unavailable`: no reading has shown the number, so that its 0 is not a count. Deezer and Spotify show no listeners.',
      ),
  })
  .meta({ id: 'Artist', description: 'An artist that the account watches.' });

export const artistListSchema = listOf('ArtistList', artistSchema, 'Oldest watch first.');

export type ArtistItem = z.infer<typeof artistSchema>;

export type ShownArtist = Shown<ArtistItem>;

export const presentArtist = presenter(artistSchema);

/** A credited artist. */
export const creditSchema = z.object({ platform_id: z.string().nullable(), name: z.string() });

export const presentCredit = presenter(creditSchema);

export const artistFilterSchema = z.object({
  status: z
    .enum(ARTIST_STATUSES, { error: `must be one of ${ARTIST_STATUSES.join(', ')}` })
    .optional()
    .meta({ description: 'Only artists of this status.' }),
  q: z
    .string()
    .refine((text) => [...text].length <= MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
    .refine(isPrintable, NOT_PRINTABLE)
    .optional()
    .meta({
      description:
        "Words that the artist's name has, in any letter case and order; or a whole id, the platform's or ours.",
      maxLength: MAX_QUERY_CHARS,
      pattern: PRINTABLE,
    }),
});

/** `POST /artists`: which artist, by exactly one of the two. */
export const watchArtistSchema = z
  .strictObject({
    platform_id: z.string().optional().describe("The artist's identifier on the platform in use."),
    url: z
      .string()
      .optional()
      .meta({ description: 'The address of the artist on the platform in use, as people copy it.', maxLength: 2_048 }),
  })
  .refine(({ platform_id, url }) => (platform_id === undefined) !== (url === undefined), {
    error: 'must have either "platform_id" or "url"',
  })
  .meta({ id: 'WatchArtist', minProperties: 1, maxProperties: 1 });
