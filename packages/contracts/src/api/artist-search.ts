import { MAX_NAME_CHARS } from '@artist-watch/domain/platform/platform-address';
import { z } from 'zod';
import { artistSchema } from './artist.js';
import type { ApiErrorCode } from './errors.js';
import { artistIdSchema, listOf, openEnum } from './fields.js';

export const artistCandidateSchema = z
  .object({
    platform_id: z.string(),
    name: z.string(),
    followers: z.int().nonnegative().nullable().describe('Null if unknown.'),
    platform_url: z.string().describe("The artist's page on Deezer or Spotify."),
  })
  .meta({ id: 'ArtistCandidate', description: 'An artist on Deezer or Spotify. The account may or may not watch it.' });

export type ArtistCandidate = z.infer<typeof artistCandidateSchema>;

export function presentCandidate(found: {
  readonly platformId: string;
  readonly name: string;
  readonly followers: number | undefined;
  readonly url: string;
}): ArtistCandidate {
  const { platformId, name, followers, url } = found;
  return { platform_id: platformId, name, followers: followers ?? null, platform_url: url };
}

export const artistSearchSchema = listOf(
  'ArtistSearch',
  artistCandidateSchema.extend({
    artist_id: artistIdSchema.nullable().describe('The id of the artist if the account watches it, otherwise null.'),
  }),
  'In the order in which Deezer or Spotify returns them.',
);

export type ArtistSearchItems = z.infer<typeof artistSearchSchema>;

export const searchTextSchema = z
  .string('must contain the name to search for')
  .refine(
    (text) => /\S/.test(text) && [...text].length <= MAX_NAME_CHARS,
    `must have 1 to ${MAX_NAME_CHARS} characters`,
  )
  .meta({
    description: "An artist's name, or a part of it.",
    example: 'Daft Punk',
    minLength: 1,
    maxLength: MAX_NAME_CHARS,
    pattern: '\\S',
  });

export const MAX_BULK_LINES = 500;

export const bulkWatchSchema = z
  .strictObject({
    artists: z
      .array(z.string())
      .min(1, 'must have at least one line')
      .max(MAX_BULK_LINES, `must have at most ${MAX_BULK_LINES} lines`)
      .describe(
        'One artist per line: a Deezer or Spotify id, link or short link, or a name. ' +
          'A name that looks like an id is treated as an id.',
      ),
  })
  .meta({ id: 'BulkWatch' });

const BULK_RESULTS = [
  'watched',
  'already_watched',
  'limit_reached',
  'ambiguous',
  'unknown',
  'invalid',
  'not_looked_up',
] as const;

const bulkErrorSchema = z
  .object({
    code: z
      .custom<ApiErrorCode>()
      .meta({ type: 'string', description: 'An error code. New codes may be added, so accept unknown ones.' }),
    message: z.string(),
  })
  .meta({ id: 'BulkError' });

export const bulkLineSchema = z
  .object({
    line: z.int().positive().describe('Line number, starting at 1. For CSV, the line in the file.'),
    input: z.string(),
    result: openEnum(
      BULK_RESULTS,
      '`watched`: the account now watches the artist. `already_watched`: the account was already watching it. ' +
        '`limit_reached`: see `error`. ' +
        '`ambiguous`: several artists have this name, or none has exactly this name; see `candidates`. ' +
        '`unknown`: no artist was found. `invalid`: see `error`. ' +
        '`not_looked_up`: the lookup of the name or short link took too long. See `error`, and send the line again.',
    ),
    artist: artistSchema.nullable().describe('The artist if the account now watches it, otherwise null.'),
    error: bulkErrorSchema
      .nullable()
      .describe('Present for `limit_reached`, `invalid` and `not_looked_up`, otherwise null.'),
    candidates: z
      .array(artistCandidateSchema)
      .describe('For `ambiguous`, up to five artists to choose from. Otherwise empty.'),
  })
  .meta({ id: 'BulkLine', description: 'The result of one line.' });

export type BulkLine = z.infer<typeof bulkLineSchema>;

export const bulkLinesSchema = listOf('BulkLines', bulkLineSchema, 'In the order of the request.');
