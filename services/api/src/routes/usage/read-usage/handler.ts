import { readUsage as operation } from '@artist-watch/contracts/api/operations/account-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { Route } from '../../../adapters/http/route.js';
import type { UsageReport } from '../../../application/reading/ports.js';
import { readUsage } from './query.js';

export function readUsageRoute(report: UsageReport): Route {
  return {
    operation,
    async answer({ identity, now }) {
      return jsonAnswer(200, await readUsage(report, identity, now));
    },
  };
}
