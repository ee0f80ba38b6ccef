import { reverseIsrc as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import { type Reverse, reverseRequestSchema } from '@artist-watch/contracts/api/tools';
import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import type { Clock } from '@artist-watch/runtime/clock';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { ApiError } from '../../../application/api-error.js';
import { findByIsrc } from '../../../application/tools/find-by-isrc.js';
import type { Allowance, IsrcSource } from '../../../application/tools/ports.js';
import { withAllowance } from '../../../application/tools/tool-call.js';
import { toTrackItem } from '../../../application/tools/track-item.js';

export function reverseIsrcRoute(ports: {
  readonly allowance: Allowance;
  /** The platform in use first. */
  readonly sources: readonly [IsrcSource, ...IsrcSource[]];
  readonly clock: Clock;
}): Route {
  const { allowance, sources, clock } = ports;
  return {
    operation,
    async answer({ identity, now, readJson }) {
      const isrc = normaliseIsrc(parseBody(reverseRequestSchema, await readJson()).isrc);
      if (isrc === null) throw new ApiError('invalid_isrc', '"isrc" must be an ISRC such as USRC17607839.');
      const { sourceName, tracks } = await withAllowance(allowance, identity, now, () => findByIsrc(sources, isrc));
      const reverse: Reverse = {
        isrc,
        track: toTrackItem(tracks[0]),
        matches: tracks.map(toTrackItem),
        source: { name: sourceName, retrieved_at: clock.now().toISOString() },
      };
      return jsonAnswer(200, reverse);
    },
  };
}
