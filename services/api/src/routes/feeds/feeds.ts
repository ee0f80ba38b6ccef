import { randomBytes } from 'node:crypto';
import { ATOM_TYPE, atomFeed, FEED_CHANGES } from '@artist-watch/contracts/api/atom-feed';
import { createFeedSchema, FEED_PATH, presentFeed } from '@artist-watch/contracts/api/feed';
import { feedIdSchema } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/feed-operations';
import { createFeed, listFeeds, revokeFeed } from '@artist-watch/contracts/api/operations/feed-operations';
import { actorOf } from '@artist-watch/domain/account/actor';
import { API_KEY_RANDOM_BYTES, makeFeedToken } from '@artist-watch/domain/account/api-key';
import { oldestOf } from '@artist-watch/domain/account/plans';
import type { FeedTokenId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { FeedTokenRecord, FeedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import { newId } from '@artist-watch/runtime/ids';
import { parseOptionalBody, pathId } from '../../adapters/http/request/input.js';
import { BASE_PATH, type Route } from '../../adapters/http/route.js';
import { parseChangeFilter, storedFilter } from '../changes/filter-input.js';

/** The tokens of private feeds: what they read is read-feed's. */
export function feedTokenRoutes(feeds: FeedTokenStore): Route[] {
  return [
    {
      operation: listFeeds,
      async answer({ principal: { accountId } }) {
        const data = (await feeds.list(accountId)).map(presentFeed);
        return jsonAnswer(200, { data, next_cursor: null });
      },
    },
    {
      operation: createFeed,
      async answer(request) {
        const { principal, now } = request;
        const { name = null } = await parseOptionalBody(createFeedSchema, request);
        const token = makeFeedToken(randomBytes(API_KEY_RANDOM_BYTES));
        const present = (created: FeedTokenRecord) =>
          jsonAnswer(201, { ...presentFeed(created), token, path: `${BASE_PATH}${FEED_PATH}?token=${token}` });
        const feed = {
          id: newId('fed', now),
          accountId: principal.accountId,
          token,
          name,
          by: actorOf(principal),
          now,
        };
        return present(await feeds.create(feed, request.once(present)));
      },
    },
    {
      operation: revokeFeed,
      async answer({ principal, parameters, now }) {
        const id = pathId<FeedTokenId>(feedIdSchema, parameters.id, 'feed');
        await feeds.revoke({ id, accountId: principal.accountId, by: actorOf(principal), now });
        return NO_CONTENT;
      },
    },
  ];
}

/** The newest changes as an Atom feed. */
export function readFeedRoute(database: Database): Route {
  return {
    operation: operations.readFeed,
    async answer({ principal: { accountId, plan }, query, now }) {
      const asked = parseChangeFilter(query);
      const range = { accountId, since: oldestOf(plan, now), ...asked };
      const { changes } = await readFeedChangesInTurn(database, range, FEED_CHANGES);
      const identity = JSON.stringify([accountId, storedFilter(asked)]);
      return { status: 200, type: ATOM_TYPE, body: atomFeed({ identity, changes }) };
    },
  };
}
