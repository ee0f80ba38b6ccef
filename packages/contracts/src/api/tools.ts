import { z } from 'zod';
import { creditSchema, presentCredit } from './artist.js';
import { type Given, instantSchema, presenter } from './fields.js';

export const toolsSchema = z
  .object({
    allowance: z.object({
      limit: z
        .int()
        .nonnegative()
        .describe('Maximum number of tool calls per UTC day, across the API and the dashboard.'),
      used: z.int().nonnegative(),
      remaining: z.int().nonnegative(),
      resets_at: instantSchema.describe('Time of the next reset, at 00:00 UTC.'),
    }),
    tools: z.array(z.string()).describe('The names of the tools.'),
  })
  .meta({ id: 'Tools' });

export type Tools = z.infer<typeof toolsSchema>;

const releaseSchema = z.object({
  platform_id: z.string(),
  name: z.string().nullable(),
  type: z.string().nullable().describe('Such as album, single, ep or compilation.'),
  release_date: z.string().nullable().describe('YYYY-MM-DD, YYYY-MM or YYYY.'),
  upc: z.string().nullable(),
  label: z.string().nullable(),
});

const trackSchema = z
  .object({
    platform_id: z.string(),
    name: z.string(),
    url: z.string().describe("The track's page on Deezer or Spotify."),
    isrc: z.string().nullable(),
    duration_ms: z.int().nonnegative().nullable(),
    explicit: z.boolean().nullable(),
    artists: z.array(creditSchema),
    release: releaseSchema.nullable(),
  })
  .meta({ id: 'Track', description: 'A track on Deezer or Spotify. Null means unknown.' });

export type TrackItem = z.infer<typeof trackSchema>;

const present = presenter(trackSchema);
const presentRelease = presenter(releaseSchema);

interface ShownTrack extends Omit<Given<TrackItem>, 'artists' | 'release'> {
  readonly artists: readonly Given<z.infer<typeof creditSchema>>[];
  readonly release: Given<z.infer<typeof releaseSchema>> | undefined;
}

export function presentTrack({ artists, release, ...track }: ShownTrack): TrackItem {
  return present({ ...track, artists: artists.map(presentCredit), release: release && presentRelease(release) });
}

const sourceSchema = z
  .object({ name: z.string().describe('The name of the source.'), retrieved_at: instantSchema })
  .meta({ id: 'Source' });

export const lookupRequestSchema = z
  .strictObject({
    input: z.string().meta({
      description:
        'A link to a track on the platform in use, Deezer or Spotify. The pattern shows the accepted forms. ' +
        'Short links are accepted too.',
      maxLength: 2_048,
    }),
  })
  .meta({ id: 'LookupRequest' });

export const lookupSchema = z
  .object({
    isrc: z.string().nullable().describe('Null if unknown.'),
    track: trackSchema,
    source: sourceSchema,
  })
  .meta({ id: 'Lookup' });

export type Lookup = z.infer<typeof lookupSchema>;

export const reverseRequestSchema = z
  .strictObject({
    isrc: z.string().meta({
      description: 'An ISRC. Case, spaces and hyphens are ignored.',
      pattern:
        '^[ -]?(?:[Ii][ -]?[Ss][ -]?[Rr][ -]?[Cc][ -]?)?(?:[A-Za-z][ -]?){2}(?:[A-Za-z0-9][ -]?){3}(?:[0-9][ -]?){7}$',
    }),
  })
  .meta({ id: 'ReverseRequest' });

export const reverseSchema = z
  .object({
    isrc: z.string().describe('The normalized ISRC: 12 upper-case characters.'),
    track: trackSchema.describe('The first track in `matches`.'),
    matches: z
      .array(trackSchema)
      .describe("All tracks that have this ISRC in the source. The source's preferred track comes first."),
    source: sourceSchema,
  })
  .meta({ id: 'Reverse' });

export type Reverse = z.infer<typeof reverseSchema>;
