import { lookupTrack as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import { lookupRequestSchema } from '@artist-watch/contracts/api/tools';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { TrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';

export function lookupTrackRoute(tools: TrackLookup): Route {
  return {
    operation,
    async answer({ identity, now, readJson }) {
      const { input } = parseBody(lookupRequestSchema, await readJson());
      return jsonAnswer(200, await tools.lookup(input, identity, now));
    },
  };
}
