import type { PlatformClient, Track } from '@artist-watch/catalogue/port';
import type { TrackItem } from '@artist-watch/contracts/api/tools';
import { asked } from './asked.js';

/** The platform in use, as the tools ask it. */
export interface TrackSource {
  /** As customers know it: `Deezer`. */
  readonly sourceName: string;
  /**
   * @returns undefined when the platform has no such track.
   * @throws ApiError `upstream_…` when the platform gives no usable answer in time.
   */
  findTrack(trackId: string): Promise<Track | undefined>;
  /**
   * @param isrc normalised
   * @returns none when the platform knows no such track; its own first choice first.
   * @throws ApiError `upstream_…`
   */
  findTracks(isrc: string): Promise<readonly Track[]>;
}

export function trackSource(client: PlatformClient): TrackSource {
  return {
    sourceName: client.sourceName,
    async findTrack(trackId) {
      const answer = await asked(client.sourceName, (signal) => client.lookupTrack(trackId, { signal }));
      return answer.kind === 'found' ? answer.track : undefined;
    },
    async findTracks(isrc) {
      const answer = await asked(client.sourceName, (signal) => client.findTracksByIsrc(isrc, { signal }));
      return answer.kind === 'found' ? answer.tracks : [];
    },
  };
}

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
