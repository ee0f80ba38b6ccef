import { presentApiKey, presentMember, presentUsageDay, type Usage } from '@artist-watch/contracts/api/account';
import { ACCESS_OPERATIONS, ACCOUNT_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ApiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import type { MemberStore } from '@artist-watch/persistence/account/members';
import type { UsageHistory, UsageStore } from '@artist-watch/persistence/account/usage-store';
import { answerPage } from '../../adapters/http/answer/list-page.js';
import { type Route, routesOf } from '../../adapters/http/route.js';
import type { CursorSeal } from '../../application/cursor-seal.js';

const DEFAULT_DAYS = 30;

export function accountRoutes(ports: {
  readonly usage: UsageStore;
  readonly usageHistory: UsageHistory;
  readonly keys: ApiKeyIssuer;
  readonly members: MemberStore;
  readonly cursorSeal: CursorSeal;
}): Route[] {
  const { usage: report, usageHistory, keys, members, cursorSeal } = ports;
  const usageRoutes = routesOf(ACCOUNT_OPERATIONS, {
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
      const data = (await usageHistory.read(principal.accountId, days, now)).map(presentUsageDay);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
  const accessRoutes = routesOf(ACCESS_OPERATIONS, {
    listKeys: ({ principal: { accountId }, query, baseUrl }) =>
      answerPage(
        cursorSeal,
        { url: `${baseUrl}${ACCESS_OPERATIONS.listKeys.path}`, scope: `keys:${accountId}`, query },
        ({ after, limit }) => keys.page({ accountId, before: after as ApiKeyId | undefined, limit }),
        presentApiKey,
      ),

    /** All members fit on one page, because the plan limits their number. */
    async listMembers({ principal }) {
      const data = (await members.list(principal.accountId)).map(presentMember);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
  return [...usageRoutes, ...accessRoutes];
}
