import {
  ATOM_TYPE,
  atomFeed,
  FEED_CHANGES,
  FEED_PATH,
  presentApiKey,
  presentFeed,
  presentMember,
  presentUsage,
  presentUsageDay,
} from '@artist-watch/contracts/api/account';
import { presentGroup } from '@artist-watch/contracts/api/artist';
import {
  ACCESS_OPERATIONS,
  ACCOUNT_OPERATIONS,
  FEED_OPERATIONS,
  GROUP_OPERATIONS,
  TOOL_OPERATIONS,
} from '@artist-watch/contracts/api/operations/account-operations';
import type { Tools } from '@artist-watch/contracts/api/tools';
import { toActor } from '@artist-watch/domain/account/actor';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { ApiKeyId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { type CreatedFeed, feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { type GroupRecord, groupStore } from '@artist-watch/persistence/account/groups';
import { memberStore } from '@artist-watch/persistence/account/members';
import { readUsage, readUsageHistory } from '@artist-watch/persistence/account/usage-store';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import { newId } from '@artist-watch/runtime/ids';
import { z } from 'zod';
import { BASE_PATH, type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';
import { changeFilter, parametersOf, storedFilter } from '../../application/change-range.js';
import { answerPage, openCursor } from '../../application/list-page.js';

const DEFAULT_DAYS = 30;

export function accountRoutes(parts: RouteParts): Route[] {
  return [usageRoutes, groupRoutes, feedRoutes, toolRoutes].flatMap((routesFor) => routesFor(parts));
}

function usageRoutes({ reads, cursorSeal }: RouteParts): Route[] {
  const usage = routesOf(ACCOUNT_OPERATIONS, {
    async readUsage({ principal: { accountId, plan }, now }) {
      return jsonAnswer(200, presentUsage(plan, await readUsage(reads, accountId, now)));
    },
    async readUsageHistory({ principal, query: { days = DEFAULT_DAYS }, now }) {
      const data = (await readUsageHistory(reads, principal.accountId, days, now)).map(presentUsageDay);
      return jsonAnswer(200, { data, next_cursor: null });
    },
  });
  const access = routesOf(ACCESS_OPERATIONS, {
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
  return [...usage, ...access];
}

const presentCreated = (group: GroupRecord) => jsonAnswer(201, presentGroup(group));

function groupRoutes({ reads, writes }: RouteParts): Route[] {
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
      const group = { id, accountId: principal.accountId, by: toActor(principal), now };
      const updated = await groups.update({
        ...group,
        name,
        color,
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

const positionSchema = z.tuple([z.int(), z.string()]);

function feedRoutes({ reads, writes, cursorSeal }: RouteParts): Route[] {
  const feeds = feedTokenStore(writes);
  return routesOf(FEED_OPERATIONS, {
    async listFeeds({ principal: { accountId } }) {
      const data = (await feedTokenStore(reads).list(accountId)).map(presentFeed);
      return jsonAnswer(200, { data, next_cursor: null });
    },
    async createFeed({ principal, now, baseUrl, readBody, once }) {
      const { name = null } = await readBody();
      const present = ({ token, ...created }: CreatedFeed) => {
        const target = `${FEED_PATH}?token=${token}`;
        const url = baseUrl === BASE_PATH ? null : `${baseUrl}${target}`;
        return jsonAnswer(201, { ...presentFeed(created), token, path: `${BASE_PATH}${target}`, url });
      };
      const feed = { accountId: principal.accountId, name, by: toActor(principal), now };
      return present(await feeds.create(feed, once(present)));
    },
    async revokeFeed({ principal, id, now }) {
      await feeds.revoke({ id, accountId: principal.accountId, by: toActor(principal), now });
      return NO_CONTENT;
    },
    async readFeed({ principal: { accountId, plan }, query, now }) {
      const asked = changeFilter(query);
      const scope = `feed:${accountId}`;
      const [lastMs = 0, lastId] = openCursor(cursorSeal, scope, query.cursor, positionSchema) ?? [];
      const after = lastId === undefined ? undefined : { confirmedAt: new Date(lastMs), changeId: lastId as ChangeId };
      const range = { accountId, since: historyStart(plan, now), after, ...asked };
      const { changes, next } = await readFeedChangesInTurn(reads, range, FEED_CHANGES);
      const cursor = next && cursorSeal.close(scope, [next.confirmedAt.getTime(), next.changeId]);
      const nextPage = cursor && `?${parametersOf({ ...query, cursor })}`;
      const identity = JSON.stringify([accountId, storedFilter(asked)]);
      return { status: 200, type: ATOM_TYPE, body: atomFeed({ identity, changes, next: nextPage }) };
    },
  });
}

function toolRoutes({ tools }: RouteParts): Route[] {
  return routesOf(TOOL_OPERATIONS, {
    async readTools({ principal, now }) {
      const answer: Tools = { allowance: await tools.allowance(principal, now), tools: ['lookup', 'reverse'] };
      return jsonAnswer(200, answer);
    },
    async lookupTrack({ principal, now, readBody }) {
      const { input } = await readBody();
      return jsonAnswer(200, await tools.lookup(input, principal, now));
    },
    async reverseIsrc({ principal, now, readBody }) {
      const { isrc } = await readBody();
      return jsonAnswer(200, await tools.reverse(isrc, principal, now));
    },
  });
}
