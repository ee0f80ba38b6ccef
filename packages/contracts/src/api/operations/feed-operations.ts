import { z } from 'zod';

import { changeFilterParameters, includeTestParameter, searchParameter } from '../change-filter.js';
import { atomFeed, createdFeedSchema, createFeedSchema, FEED_PATH, feedListSchema } from '../feed.js';
import { cursorSchema } from '../identifiers.js';
import { json, operationsOf, page } from './operation.js';

const FEED = {
  id: 'fed_019e0f0c8c00b2f7a1d43e5f60718293',
  name: 'Newsroom',
  hint: 'aw_feed_4f2A',
  created_at: '2026-04-01T09:00:00.000Z',
  created_by: 'nina@label.example',
  last_used_at: '2026-05-01T11:59:30.000Z',
};
const TOKEN = 'aw_feed_4f2A00000000000000000000000000000000';
const PATH = `/v1${FEED_PATH}?token=${TOKEN}`;
const URL = `https://api.example${PATH}`;
const CREATED_FEED = { ...FEED, last_used_at: null, token: TOKEN, path: PATH, url: URL };

export const FEED_OPERATIONS = operationsOf('Feeds', {
  listFeeds: {
    route: 'GET /feeds',
    summary: 'List feeds',
    answers: { 200: page('Feeds.', feedListSchema, [FEED]) },
  },
  createFeed: {
    route: 'POST /feeds',
    summary: 'Create a feed',
    description:
      'Creates a token for the Atom feed. It can only read changes and is valid until you revoke the feed. ' +
      'An account can have up to 20 feeds.',
    idempotent: true,
    body: { schema: createFeedSchema, example: { name: 'Newsroom' }, optional: true },
    answers: { 201: json('The feed with its token.', createdFeedSchema, CREATED_FEED) },
    errors: ['conflict'],
  },
  revokeFeed: {
    route: 'DELETE /feeds/{id}',
    of: 'feed',
    summary: 'Revoke a feed',
    description: 'All servers reject the token within 1 second.',
    answers: { 204: { description: 'Feed revoked.' } },
  },
  readFeed: {
    route: `GET ${FEED_PATH}`,
    summary: 'Read changes as an Atom feed',
    description:
      'Returns the newest 100 matching changes (RFC 4287), with a link to the next page if there are more (RFC 5005). ' +
      'Only this URL accepts a token instead of an API key, because feed readers cannot send headers. ' +
      'A 304 response also counts as one request.',
    takesFeedToken: true,
    query: z.object({
      ...changeFilterParameters.shape,
      q: searchParameter,
      include_test: includeTestParameter,
      cursor: cursorSchema.optional(),
      token: z.string().optional(),
    }),
    answers: {
      200: {
        description: 'The feed.',
        texts: { 'application/atom+xml': atomFeed({ identity: 'example', changes: [] }) },
      },
    },
  },
});
