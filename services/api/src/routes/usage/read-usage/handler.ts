import { readUsage as operation } from '@artist-watch/contracts/api/operations/account-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { UsageStore } from '@artist-watch/persistence/account/usage-store';
import type { Route } from '../../../adapters/http/route.js';
import { readUsage } from './query.js';

export function readUsageRoute(report: UsageStore): Route {
  return {
    operation,
    async answer({ identity, now }) {
      return jsonAnswer(200, await readUsage(report, identity, now));
    },
  };
}
