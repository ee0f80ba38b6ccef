import { readTools as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import type { Tools } from '@artist-watch/contracts/api/tools';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { TrackLookup } from '@artist-watch/track-lookup/track-lookup';
import type { Route } from '../../../adapters/http/route.js';

export function readToolsRoute(tools: TrackLookup): Route {
  return {
    operation,
    async answer({ identity, now }) {
      const answer: Tools = { allowance: await tools.allowance(identity, now), tools: ['lookup', 'reverse'] };
      return jsonAnswer(200, answer);
    },
  };
}
