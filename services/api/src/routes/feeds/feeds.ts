import { ATOM_TYPE, atomFeed, FEED_CHANGES, FEED_PATH, presentFeed } from '@artist-watch/contracts/api/feed';
import { FEED_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import { toActor } from '@artist-watch/domain/account/actor';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import { type CreatedFeed, feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import { z } from 'zod';
import { BASE_PATH, type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';
import { changeFilter, parametersOf, storedFilter } from '../../application/change-range.js';
import { openCursor } from '../../application/cursor-seal.js';

const positionSchema = z.tuple([z.int(), z.string()]);

export function feedRoutes({ reads, writes, cursorSeal }: RouteParts): Route[] {
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
