import { readTools as operation } from '@artist-watch/contracts/api/operations/tool-operations';
import type { Tools } from '@artist-watch/contracts/api/tools';
import { PLANS } from '@artist-watch/domain/account/plans';
import { jsonAnswer } from '../../../adapters/http/answer/answer.js';
import type { Route } from '../../../adapters/http/route.js';
import type { Allowance } from '../../../application/tools/ports.js';
import { allowanceResetsAt } from '../../../application/tools/tool-call.js';

export function readToolsRoute(allowance: Allowance): Route {
  return {
    operation,
    async answer({ identity, now }) {
      const limit = PLANS[identity.plan].toolCallsPerDay;
      const used = await allowance.used(identity.accountId, now);
      const tools: Tools = {
        allowance: {
          limit,
          used,
          remaining: Math.max(0, limit - used),
          resets_at: allowanceResetsAt(now).toISOString(),
        },
        tools: ['lookup', 'reverse'],
      };
      return jsonAnswer(200, tools);
    },
  };
}
