import { presentGroup } from '@artist-watch/contracts/api/artist';
import { GROUP_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import { toActor } from '@artist-watch/domain/account/actor';
import type { ArtistId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import { type GroupRecord, groupStore } from '@artist-watch/persistence/account/groups';
import { newId } from '@artist-watch/runtime/ids';
import { type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';

const presentCreated = (group: GroupRecord) => jsonAnswer(201, presentGroup(group));

export function groupRoutes({ reads, writes }: RouteParts): Route[] {
  const groups = groupStore(writes);
  return routesOf(GROUP_OPERATIONS, {
    async listGroups({ principal: { accountId } }) {
      const data = (await groupStore(reads).list(accountId)).map(presentGroup);
      return jsonAnswer(200, { data, next_cursor: null });
    },
    async createGroup({ principal, now, readBody, once }) {
      const { name, color = 'gray' } = await readBody();
      const { accountId } = principal;
      const group = { id: newId('grp', now), accountId, name, color, by: toActor(principal), now };
      return presentCreated(await groups.create(group, once(presentCreated)));
    },
    async updateGroup({ principal, id, now, readBody }) {
      const { name, color, add_artist_ids: added, remove_artist_ids: removed } = await readBody();
      const updated = await groups.update({
        ...{ id, accountId: principal.accountId, by: toActor(principal), now, name, color },
        addArtistIds: added as readonly ArtistId[] | undefined,
        removeArtistIds: removed as readonly ArtistId[] | undefined,
      });
      return jsonAnswer(200, presentGroup(updated));
    },
    async deleteGroup({ principal, id, now }) {
      await groups.delete({ id, accountId: principal.accountId, by: toActor(principal), now });
      return NO_CONTENT;
    },
  });
}
