import { jsonAnswer } from '../../adapters/http/answer.js';
import type { Route } from '../../adapters/http/route.js';
import type { UsageReport } from '../../application/ports.js';
import { readUsage } from './query.js';

/** `GET /v1/usage` (SPEC section 4). */
export function readUsageRoute(report: UsageReport): Route {
  return {
    method: 'GET',
    path: '/v1/usage',
    async answer({ identity }) {
      return jsonAnswer(200, await readUsage(report, identity));
    },
  };
}
