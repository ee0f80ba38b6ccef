import { presentApiKey, presentMember, presentUsage, presentUsageDay } from '@artist-watch/contracts/api/account';
import { ACCESS_OPERATIONS, ACCOUNT_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { memberStore } from '@artist-watch/persistence/account/members';
import { readUsage, readUsageHistory } from '@artist-watch/persistence/account/usage-store';
import { answerPage } from '../../adapters/http/answer/list-page.js';
import { type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';

const DEFAULT_DAYS = 30;

export function accountRoutes({ reads, cursorSeal }: RouteParts): Route[] {
  const usageRoutes = routesOf(ACCOUNT_OPERATIONS, {
    async readUsage({ principal: { accountId, plan }, now }) {
      return jsonAnswer(200, presentUsage(plan, await readUsage(reads, accountId, now)));
    },
    async readUsageHistory({ principal, query: { days = DEFAULT_DAYS }, now }) {
      const data = (await readUsageHistory(reads, principal.accountId, days, now)).map(presentUsageDay);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
  const accessRoutes = routesOf(ACCESS_OPERATIONS, {
    listKeys: ({ principal: { accountId }, query, baseUrl }) =>
      answerPage(
        cursorSeal,
        { url: `${baseUrl}${ACCESS_OPERATIONS.listKeys.path}`, scope: `keys:${accountId}`, query },
        ({ after, limit }) => apiKeyIssuer(reads).page({ accountId, before: after as ApiKeyId | undefined, limit }),
        presentApiKey,
      ),

    /** All members fit on one page, because the plan limits their number. */
    async listMembers({ principal }) {
      const data = (await memberStore(reads).list(principal.accountId)).map(presentMember);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
  return [...usageRoutes, ...accessRoutes];
}
