import { reverseIsrc as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import { reverseRequestSchema } from '@artist-watch/contracts/api/tools';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { TrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';

export function reverseIsrcRoute(tools: TrackLookup): Route {
  return {
    operation,
    async answer({ identity, now, readJson }) {
      const { isrc } = parseBody(reverseRequestSchema, await readJson());
      return jsonAnswer(200, await tools.reverse(isrc, identity, now));
    },
  };
}
