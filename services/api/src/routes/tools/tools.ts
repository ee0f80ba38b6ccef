import * as operations from '@artist-watch/contracts/api/operations/tool-operations';
import { lookupRequestSchema, reverseRequestSchema, type Tools } from '@artist-watch/contracts/api/tools';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { TrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { parseBody } from '../../adapters/http/request/input.js';
import type { Route } from '../../adapters/http/route.js';

export function readToolsRoute(tools: TrackLookup): Route {
  return {
    operation: operations.readTools,
    async answer({ principal, now }) {
      const answer: Tools = { allowance: await tools.allowance(principal, now), tools: ['lookup', 'reverse'] };
      return jsonAnswer(200, answer);
    },
  };
}

export function lookupTrackRoute(tools: TrackLookup): Route {
  return {
    operation: operations.lookupTrack,
    async answer({ principal, now, readJson }) {
      const { input } = parseBody(lookupRequestSchema, await readJson());
      return jsonAnswer(200, await tools.lookup(input, principal, now));
    },
  };
}

export function reverseIsrcRoute(tools: TrackLookup): Route {
  return {
    operation: operations.reverseIsrc,
    async answer({ principal, now, readJson }) {
      const { isrc } = parseBody(reverseRequestSchema, await readJson());
      return jsonAnswer(200, await tools.reverse(isrc, principal, now));
    },
  };
}
