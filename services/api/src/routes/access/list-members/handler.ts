import type { MemberItem } from '@artist-watch/contracts/api/access';
import { listMembers as operation } from '@artist-watch/contracts/api/operations/access-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { MemberStore } from '@artist-watch/persistence/account/members';
import type { Route } from '../../../adapters/http/route.js';

/** As many as a plan has seats: they need no pages. */
export function listMembersRoute(members: MemberStore): Route {
  return {
    operation,
    async answer({ identity }) {
      const read = await members.list(identity.accountId);
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
