import { TOOL_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import type { Tools } from '@artist-watch/contracts/api/tools';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';

export function toolRoutes({ tools }: RouteParts): Route[] {
  return routesOf(TOOL_OPERATIONS, {
    async readTools({ principal, now }) {
      const answer: Tools = { allowance: await tools.allowance(principal, now), tools: ['lookup', 'reverse'] };
      return jsonAnswer(200, answer);
    },
    async lookupTrack({ principal, now, readBody }) {
      const { input } = await readBody();
      return jsonAnswer(200, await tools.lookup(input, principal, now));
    },
    async reverseIsrc({ principal, now, readBody }) {
      const { isrc } = await readBody();
      return jsonAnswer(200, await tools.reverse(isrc, principal, now));
    },
  });
}
