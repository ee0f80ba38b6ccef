import { z } from 'zod';
import { instantSchema } from './instant.js';

/** A watched artist (SPEC section 2). */
export const artistSchema = z.strictObject({
  /** `art_…`, what `artist_id` of a change refers to. */
  id: z.string(),
  platform_id: z.string(),
  name: z.string(),
  /** The last known value, 0 before the first. */
  monthly_listeners: z.int().nonnegative(),
  followers: z.int().nonnegative(),
  /** How fresh the two numbers are; null before the first observation. */
  metrics_observed_at: instantSchema.nullable(),
});

export const artistListSchema = z.strictObject({ data: z.array(artistSchema) });

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
