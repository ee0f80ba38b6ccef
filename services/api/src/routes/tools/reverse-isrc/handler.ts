import { reverseIsrc as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import { type Reverse, reverseRequestSchema } from '@artist-watch/contracts/api/tools';
import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import type { Clock } from '@artist-watch/runtime/clock';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { ApiError } from '../../../application/api-error.js';
import type { Allowance, TrackSource } from '../../../application/tools/ports.js';
import { withAllowance } from '../../../application/tools/tool-call.js';
import { toTrackItem } from '../../../application/tools/track-item.js';

export function reverseIsrcRoute(ports: {
  readonly allowance: Allowance;
  readonly source: TrackSource;
  readonly clock: Clock;
}): Route {
  const { allowance, source, clock } = ports;
  return {
    operation,
    async answer({ identity, now, readJson }) {
      const isrc = normaliseIsrc(parseBody(reverseRequestSchema, await readJson()).isrc);
      if (isrc === null) throw new ApiError('invalid_isrc', '"isrc" must be an ISRC such as USRC17607839.');
      const [first, ...more] = await withAllowance(allowance, identity, now, async () => {
        const [track, ...others] = await source.findTracks(isrc);
        if (track) return [track, ...others] as const;
        throw new ApiError('track_not_found', `${source.sourceName} knows no track with this ISRC.`);
      });
      const reverse: Reverse = {
        isrc,
        track: toTrackItem(first),
        matches: [first, ...more].map(toTrackItem),
        source: { name: source.sourceName, retrieved_at: clock.now().toISOString() },
      };
      return jsonAnswer(200, reverse);
    },
  };
}
