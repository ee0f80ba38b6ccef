import { randomBytes } from 'node:crypto';
import { createFeedSchema, FEED_PATH, presentFeed } from '@artist-watch/contracts/api/feed';
import { feedIdSchema } from '@artist-watch/contracts/api/identifiers';
import { createFeed, listFeeds, revokeFeed } from '@artist-watch/contracts/api/operations/feed-operations';
import { API_KEY_RANDOM_BYTES, makeFeedToken } from '@artist-watch/domain/account/api-key';
import type { FeedTokenId } from '@artist-watch/domain/ids';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { FeedTokenRecord, FeedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { newId } from '@artist-watch/runtime/ids';
import { parseOptionalBody, pathId } from '../../adapters/http/request/input.js';
import { BASE_PATH, type Route } from '../../adapters/http/route.js';
import { actorOf } from '../../application/access/identity.js';

/** The tokens of private feeds: what they read is read-feed's. */
export function feedTokenRoutes(feeds: FeedTokenStore): Route[] {
  return [
    {
      operation: listFeeds,
      async answer({ identity: { accountId } }) {
        const data = (await feeds.list(accountId)).map(presentFeed);
        return jsonAnswer(200, { data, next_cursor: null });
      },
    },
    {
      operation: createFeed,
      async answer(request) {
        const { identity, now } = request;
        const { name = null } = await parseOptionalBody(createFeedSchema, request);
        const token = makeFeedToken(randomBytes(API_KEY_RANDOM_BYTES));
        const present = (created: FeedTokenRecord) =>
          jsonAnswer(201, { ...presentFeed(created), token, path: `${BASE_PATH}${FEED_PATH}?token=${token}` });
        const feed = { id: newId('fed', now), accountId: identity.accountId, token, name, by: actorOf(identity), now };
        return present(await feeds.create(feed, request.once(present)));
      },
    },
    {
      operation: revokeFeed,
      async answer({ identity, parameters, now }) {
        const id = pathId<FeedTokenId>(feedIdSchema, parameters.id, 'feed');
        await feeds.revoke({ id, accountId: identity.accountId, by: actorOf(identity), now });
        return NO_CONTENT;
      },
    },
  ];
}
