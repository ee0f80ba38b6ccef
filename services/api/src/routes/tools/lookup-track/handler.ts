import { lookupTrack as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import { type Lookup, lookupRequestSchema } from '@artist-watch/contracts/api/tools';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { Clock } from '@artist-watch/runtime/clock';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { ApiError } from '../../../application/api-error.js';
import type { Allowance, FollowShortLink, TrackSource } from '../../../application/tools/ports.js';
import { withAllowance } from '../../../application/tools/tool-call.js';
import { parseTrackInput, trackIdOf } from '../../../application/tools/track-input.js';
import { toTrackItem } from '../../../application/tools/track-item.js';

export function lookupTrackRoute(ports: {
  readonly allowance: Allowance;
  readonly source: TrackSource;
  readonly platform: Platform;
  readonly follow: FollowShortLink;
  readonly clock: Clock;
}): Route {
  const { allowance, source, platform, follow, clock } = ports;
  return {
    operation,
    async answer({ identity, now, readJson }) {
      const input = parseTrackInput(parseBody(lookupRequestSchema, await readJson()).input, platform);
      const track = await withAllowance(allowance, identity, now, async () => {
        const found = await source.findTrack(await trackIdOf(input, platform, follow));
        if (found) return found;
        throw new ApiError('track_not_found', `${source.sourceName} has no such track.`);
      });
      const lookup: Lookup = {
        isrc: track.isrc ?? null,
        track: toTrackItem(track),
        source: { name: source.sourceName, retrieved_at: clock.now().toISOString() },
      };
      return jsonAnswer(200, lookup);
    },
  };
}
