import { z } from 'zod';
import { artistIdSchema } from './identifiers.js';
import { instantSchema } from './instant.js';

/** A watched artist (SPEC section 2). */
export const artistSchema = z
  .object({
    id: artistIdSchema.describe('What `artist_id` of a change refers to.'),
    platform_id: z.string().describe("The artist's identifier on the streaming platform."),
    name: z.string().describe('The artist name; the platform id until the artist was first read.'),
    monthly_listeners: z.int().nonnegative().describe('The last known value; 0 before the first.'),
    followers: z.int().nonnegative().describe('The last known value; 0 before the first.'),
    metrics_observed_at: instantSchema
      .nullable()
      .describe('How fresh the two numbers are; null before the first observation.'),
  })
  .meta({ id: 'Artist', description: 'An artist that the account watches.' });

export const artistListSchema = z
  .object({ data: z.array(artistSchema).describe('All of them, oldest watch first.') })
  .meta({ id: 'ArtistList' });

export type ArtistItem = z.infer<typeof artistSchema>;

/** What is shown of an artist that was read from the record. */
export interface ShownArtist {
  readonly id: string;
  readonly platformId: string;
  readonly name: string;
  readonly followers: number;
  readonly monthlyListeners: number;
  readonly metricsObservedAt: Date | null;
}

export function presentArtist(artist: ShownArtist): ArtistItem {
  return {
    id: artist.id,
    platform_id: artist.platformId,
    name: artist.name,
    monthly_listeners: artist.monthlyListeners,
    followers: artist.followers,
    metrics_observed_at: artist.metricsObservedAt?.toISOString() ?? null,
  };
}

/** `POST /artists`: which artist, by exactly one of the two. */
export const watchArtistSchema = z
  .strictObject({
    platform_id: z.string().optional().describe("The artist's identifier on the platform in use."),
    url: z.string().optional().describe('The address of the artist on the platform in use, as people copy it.'),
  })
  .refine(({ platform_id, url }) => (platform_id === undefined) !== (url === undefined), {
    error: 'must have either "platform_id" or "url"',
  })
  .meta({ id: 'WatchArtist' });
