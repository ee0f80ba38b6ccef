import { type MemberItem, presentApiKey } from '@artist-watch/contracts/api/access';
import * as operations from '@artist-watch/contracts/api/operations/access-operations';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ApiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import type { MemberStore } from '@artist-watch/persistence/account/members';
import { z } from 'zod';
import { linkToNext } from '../../adapters/http/answer/link-to-next.js';
import { pageParameters } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';
import { type CursorSeal, openCursor } from '../../application/reading/cursor-seal.js';

const contentSchema = z.tuple([z.string()]);

export function listKeysRoute(ports: { readonly keys: ApiKeyIssuer; readonly cursorSeal: CursorSeal }): Route {
  const { keys, cursorSeal } = ports;
  return {
    operation: operations.listKeys,
    async answer({ principal: { accountId }, query }) {
      const { limit, cursor } = pageParameters(query);
      const scope = `keys:${accountId}`;
      const [before] = cursor === undefined ? [] : openCursor(cursorSeal, scope, cursor, contentSchema);
      // One more than the page, to know whether others follow.
      const read = await keys.page({ accountId, before: before as ApiKeyId | undefined, limit: limit + 1 });
      const page = read.slice(0, limit);
      const last = read.length > limit ? page.at(-1) : undefined;
      const next_cursor = last ? cursorSeal.close(scope, [last.id]) : null;
      const body = { data: page.map(presentApiKey), next_cursor };
      return jsonAnswer(200, body, linkToNext(operations.listKeys.path, query, next_cursor, ['limit']));
    },
  };
}

/** As many as a plan has seats: they need no pages. */
export function listMembersRoute(members: MemberStore): Route {
  return {
    operation: operations.listMembers,
    async answer({ principal }) {
      const read = await members.list(principal.accountId);
      const data = read.map(
        ({ id, email, role, createdAt, joinedAt }): MemberItem => ({
          id,
          email,
          role,
          created_at: createdAt.toISOString(),
          joined_at: joinedAt?.toISOString() ?? null,
        }),
      );
      return jsonAnswer(200, { data, next_cursor: null });
    },
  };
}
