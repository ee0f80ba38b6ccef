import { z } from 'zod';
import { atomFeed } from '../atom-feed.js';
import { changeFilterParameters, searchParameter } from '../change-filter.js';
import { createdFeedSchema, createFeedSchema, FEED_PATH, feedListSchema } from '../feed.js';
import { feedIdSchema } from '../identifiers.js';
import type { ApiOperation } from './operation.js';

const FEED = {
  id: 'fed_019e0f0c8c00b2f7a1d43e5f60718293',
  name: 'Newsroom',
  hint: 'aw_feed_4f2A',
  created_at: '2026-04-01T09:00:00.000Z',
  created_by: 'nina@label.example',
  last_used_at: '2026-05-01T11:59:30.000Z',
};
const TOKEN = 'aw_feed_4f2A00000000000000000000000000000000';

export const listFeeds = {
  id: 'listFeeds',
  method: 'GET',
  path: '/feeds',
  tag: 'Feeds',
  summary: 'List feeds',
  successes: [
    { status: 200, description: 'Feeds.', schema: feedListSchema, example: { data: [FEED], next_cursor: null } },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const createFeed = {
  id: 'createFeed',
  method: 'POST',
  path: '/feeds',
  tag: 'Feeds',
  summary: 'Create a feed',
  description: 'Makes a token for the Atom feed, 20 at most. It reads changes and nothing else, until it is revoked.',
  idempotent: true,
  body: { schema: createFeedSchema, example: { name: 'Newsroom' }, optional: true },
  successes: [
    {
      status: 201,
      description: 'The feed, with its token.',
      schema: createdFeedSchema,
      example: { ...FEED, last_used_at: null, token: TOKEN, path: `/v1${FEED_PATH}?token=${TOKEN}` },
    },
  ],
  errors: ['conflict'],
} as const satisfies ApiOperation;

export const revokeFeed = {
  id: 'revokeFeed',
  method: 'DELETE',
  path: '/feeds/{id}',
  tag: 'Feeds',
  summary: 'Revoke a feed',
  description: 'Every replica refuses its token within 1 s.',
  pathParameters: z.object({ id: feedIdSchema }),
  successes: [{ status: 204, description: 'It is revoked.' }],
  errors: [],
} as const satisfies ApiOperation;

export const readFeed = {
  id: 'readFeed',
  method: 'GET',
  path: FEED_PATH,
  tag: 'Feeds',
  summary: 'Read changes as an Atom feed',
  description:
    'The newest 100 changes that the filters let through (RFC 4287). The only address that takes a token in place of an ' +
    'API key, since feed programs send no header of their own. One request of the hourly limit, 304 too.',
  takesFeedToken: true,
  query: z.object({ ...changeFilterParameters.shape, q: searchParameter, token: z.string().optional() }),
  successes: [
    {
      status: 200,
      description: 'The feed.',
      texts: { 'application/atom+xml': atomFeed({ identity: 'example', changes: [] }) },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;
