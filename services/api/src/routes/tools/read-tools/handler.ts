import { readTools as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import type { Tools } from '@artist-watch/contracts/api/tools';
import type { TrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
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
