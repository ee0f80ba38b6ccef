import type { Track } from '@artist-watch/catalogue/port';
import type { TrackItem } from '@artist-watch/contracts/api/tools';

/** A track as the tools show it. */
export function toTrackItem({ platformId, name, url, isrc, durationMs, explicit, artists, release }: Track): TrackItem {
  return {
    platform_id: platformId,
    name,
    url,
    isrc: isrc ?? null,
    duration_ms: durationMs ?? null,
    explicit: explicit ?? null,
    artists: artists.map((artist) => ({ platform_id: artist.platformId ?? null, name: artist.name })),
    release: release
      ? {
          platform_id: release.platformId,
          name: release.name ?? null,
          type: release.type ?? null,
          release_date: release.releaseDate ?? null,
          upc: release.upc ?? null,
          label: release.label ?? null,
        }
      : null,
  };
}
