import { ACCOUNT_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import { presentUsageDay, type Usage } from '@artist-watch/contracts/api/usage';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { UsageHistory, UsageStore } from '@artist-watch/persistence/account/usage-store';
import { type Route, routesOf } from '../../adapters/http/route.js';

const DEFAULT_DAYS = 30;

export function usageRoutes(report: UsageStore, history: UsageHistory): Route[] {
  return routesOf(ACCOUNT_OPERATIONS, {
    /** What the account's plan allows, and how much of it is used. */
    async readUsage({ principal: { accountId, plan }, now }) {
      const used = await report.read(accountId, now);
      const limits = PLANS[plan];
      const usage: Usage = {
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
      return jsonAnswer(200, usage);
    },
    async readUsageHistory({ principal, query: { days = DEFAULT_DAYS }, now }) {
      const data = (await history.read(principal.accountId, days, now)).map(presentUsageDay);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
}
