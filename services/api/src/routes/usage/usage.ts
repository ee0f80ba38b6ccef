import * as operations from '@artist-watch/contracts/api/operations/account-operations';
import { daysSchema, type Usage, type UsageHistoryItem } from '@artist-watch/contracts/api/usage';
import type { Principal } from '@artist-watch/domain/account/actor';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { UsageHistory, UsageStore } from '@artist-watch/persistence/account/usage-store';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';

/** What the account's plan allows, and how much of it is used. */
export async function readUsage(report: UsageStore, { accountId, plan }: Principal, now: Date): Promise<Usage> {
  const used = await report.read(accountId, now);
  const limits = PLANS[plan];
  return {
    plan,
    artists: { used: artistsUsed(used, limits), limit: limits.artists },
    seats: { used: used.seats, limit: limits.seats },
    keys: { used: used.keys, limit: limits.keys },
    destinations: { used: used.destinations, limit: limits.destinations },
    chat_destinations: { used: used.chatDestinations, limit: limits.chatDestinations },
    tools: { used: used.toolCalls, limit: limits.toolCallsPerDay },
    api_rate_per_hour: limits.apiRequestsPerHour,
    paused_by_plan: { destinations: used.pausedDestinations },
  };
}

export function readUsageRoute(report: UsageStore): Route {
  return {
    operation: operations.readUsage,
    async answer({ principal, now }) {
      return jsonAnswer(200, await readUsage(report, principal, now));
    },
  };
}

const DEFAULT_DAYS = 30;

export function readUsageHistoryRoute(history: UsageHistory): Route {
  return {
    operation: operations.readUsageHistory,
    async answer({ principal, query, now }) {
      const days = queryParameter(query, 'days', daysSchema, 'invalid_input') ?? DEFAULT_DAYS;
      const read = await history.read(principal.accountId, days, now);
      const data = read.map(({ toolCalls: tool_calls, ...day }): UsageHistoryItem => ({ ...day, tool_calls }));
      return jsonAnswer(200, { data, next_cursor: null });
    },
  };
}
