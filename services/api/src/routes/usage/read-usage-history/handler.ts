import { readUsageHistory as operation } from '@artist-watch/contracts/api/operations/account-operations';
import { daysSchema, type UsageHistoryItem } from '@artist-watch/contracts/api/usage';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { UsageHistory } from '@artist-watch/persistence/account/usage-store';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';
import type { Route } from '../../../adapters/http/route.js';

const DEFAULT_DAYS = 30;

export function readUsageHistoryRoute(history: UsageHistory): Route {
  return {
    operation,
    async answer({ identity, query, now }) {
      const days = queryParameter(query, 'days', daysSchema, 'invalid_input') ?? DEFAULT_DAYS;
      const read = await history.read(identity.accountId, days, now);
      const data = read.map(({ toolCalls: tool_calls, ...day }): UsageHistoryItem => ({ ...day, tool_calls }));
      return jsonAnswer(200, { data, next_cursor: null });
    },
  };
}
