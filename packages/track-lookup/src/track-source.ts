import type { PlatformClient, Track } from '@artist-watch/catalogue/port';
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
