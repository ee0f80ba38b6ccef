import { presentApiKey, presentMember } from '@artist-watch/contracts/api/access';
import { ACCESS_OPERATIONS } from '@artist-watch/contracts/api/operations/access-operations';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ApiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import type { MemberStore } from '@artist-watch/persistence/account/members';
import { answerPage } from '../../adapters/http/answer/list-page.js';
import { type Route, routesOf } from '../../adapters/http/route.js';
import type { CursorSeal } from '../../application/reading/cursor-seal.js';

export function accessRoutes(ports: {
  readonly keys: ApiKeyIssuer;
  readonly members: MemberStore;
  readonly cursorSeal: CursorSeal;
}): Route[] {
  const { keys, members, cursorSeal } = ports;
  return routesOf(ACCESS_OPERATIONS, {
    listKeys: ({ principal: { accountId }, query }) =>
      answerPage(
        cursorSeal,
        { path: ACCESS_OPERATIONS.listKeys.path, scope: `keys:${accountId}`, query },
        ({ after, limit }) => keys.page({ accountId, before: after as ApiKeyId | undefined, limit }),
        presentApiKey,
      ),

    /** As many as a plan has seats: they need no pages. */
    async listMembers({ principal }) {
      const data = (await members.list(principal.accountId)).map(presentMember);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
}
