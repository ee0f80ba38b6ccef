import { z } from 'zod';
import {
  apiKeyListSchema,
  atomFeed,
  createdFeedSchema,
  createFeedSchema,
  daysSchema,
  FEED_PATH,
  feedListSchema,
  memberListSchema,
  usageHistorySchema,
  usageSchema,
} from '../account.js';
import { createGroupSchema, groupListSchema, groupSchema, MAX_GROUPS, updateGroupSchema } from '../artist.js';
import { changeFilterParameters, includeTestParameter, searchParameter } from '../change-filter.js';
import { cursorSchema, pageParameters } from '../fields.js';
import { lookupRequestSchema, lookupSchema, reverseRequestSchema, reverseSchema, toolsSchema } from '../tools.js';
import { ARTIST, SOURCE, TRACK } from './examples.js';
import { json, operationsOf, page } from './operation.js';

const egressAddressesSchema = z
  .object({
    addresses: z
      .array(z.string())
      .describe('IPv4 and IPv6 addresses and CIDR ranges. Empty if this installation does not publish them.'),
  })
  .meta({ id: 'EgressAddresses', description: 'The source addresses of webhook requests.' });

export const EGRESS_OPERATIONS = operationsOf('Destinations', {
  listEgressAddresses: {
    isPublic: true,
    route: 'GET /egress',
    summary: 'List the source addresses of webhooks',
    description:
      'Webhook requests come from these addresses. You can allow them in your firewall, but verify signatures as well. ' +
      'This request needs no API key. ' +
      'You can cache the response for an hour, because we list new addresses before we use them.',
    answers: {
      200: json('The source addresses.', egressAddressesSchema, { addresses: ['203.0.113.7', '2001:db8:1::/48'] }),
    },
  },
});

const TOOL_ERRORS = [
  'track_not_found',
  'daily_allowance_exceeded',
  'upstream_error',
  'upstream_unavailable',
  'upstream_timeout',
] as const;

const COST =
  'A 200 or 404 response uses one call from the daily allowance. ' +
  'Invalid input and errors in the service or on the platform use none.';

export const TOOL_OPERATIONS = operationsOf('Tools', {
  readTools: {
    route: 'GET /tools',
    summary: 'Read the daily allowance',
    businessFeature: 'Tools',
    answers: {
      200: json('The allowance for this UTC day, and the tools.', toolsSchema, {
        allowance: { limit: 1_000, used: 12, remaining: 988, resets_at: '2026-05-02T00:00:00.000Z' },
        tools: ['lookup', 'reverse'],
      }),
    },
  },
  lookupTrack: {
    route: 'POST /tools/lookup',
    summary: 'Find the ISRC of a track',
    description: `Accepts track links in any common form. ${COST}`,
    businessFeature: 'Tools',
    readOnly: true,
    body: { schema: lookupRequestSchema, example: { input: 'https://www.deezer.com/us/track/3135556' } },
    answers: { 200: json('The track.', lookupSchema, { isrc: TRACK.isrc, track: TRACK, source: SOURCE }) },
    errors: ['unsupported_url', ...TOOL_ERRORS],
  },
  reverseIsrc: {
    route: 'POST /tools/reverse',
    summary: 'Find tracks by ISRC',
    description: COST,
    businessFeature: 'Tools',
    readOnly: true,
    body: { schema: reverseRequestSchema, example: { isrc: 'GB-DUW-00-00059' } },
    answers: {
      200: json('The tracks.', reverseSchema, {
        isrc: TRACK.isrc ?? '',
        track: TRACK,
        matches: [TRACK],
        source: SOURCE,
      }),
    },
    errors: ['invalid_isrc', ...TOOL_ERRORS],
  },
});

const GROUP = {
  id: 'grp_019e0f0c8c00b2f7a1d43e5f60718293',
  name: 'Frontline',
  color: 'blue' as const,
  artists: 14,
  created_at: '2026-04-01T09:00:00.000Z',
};

export const GROUP_OPERATIONS = operationsOf('Groups', {
  listGroups: {
    route: 'GET /groups',
    summary: 'List groups',
    answers: { 200: page('Groups.', groupListSchema, [GROUP]) },
  },
  createGroup: {
    route: 'POST /groups',
    summary: 'Create a group',
    description: `Creates an empty group. An account can have up to ${MAX_GROUPS} groups.`,
    idempotent: true,
    body: { schema: createGroupSchema, example: { name: GROUP.name, color: GROUP.color } },
    answers: { 201: json('The group.', groupSchema, { ...GROUP, artists: 0 }) },
    errors: ['conflict'],
  },
  updateGroup: {
    route: 'PATCH /groups/{id}',
    of: 'group',
    summary: 'Rename a group, or add or remove artists',
    description: 'An artist leaves its groups when you stop watching it.',
    takesList: true,
    body: { schema: updateGroupSchema, example: { add_artist_ids: [ARTIST.id] } },
    answers: { 200: json('The group.', groupSchema, GROUP) },
    errors: ['conflict'],
  },
  deleteGroup: {
    route: 'DELETE /groups/{id}',
    of: 'group',
    summary: 'Delete a group',
    description:
      "You keep watching its artists. You cannot delete a group that is used in a destination's rules. " +
      "The group is removed from members' email rules. A rule with no artists or groups matches all artists.",
    answers: { 204: { description: 'Group deleted.' } },
    errors: ['conflict'],
  },
});

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
      'Creates a token that can only read the Atom feed. It is valid until you revoke the feed. ' +
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
    description: 'The token stops working within 1 second.',
    answers: { 204: { description: 'Feed revoked.' } },
  },
  readFeed: {
    route: `GET ${FEED_PATH}`,
    summary: 'Read changes as an Atom feed',
    description:
      'Returns the newest 100 matching changes (RFC 4287), with a link to the next page if there are more (RFC 5005). ' +
      'Only this URL accepts a token instead of an API key, because feed readers cannot send headers. ' +
      'A 304 response counts as a request too.',
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

export const ACCOUNT_OPERATIONS = operationsOf('Usage', {
  readUsage: {
    route: 'GET /usage',
    summary: 'Read the plan and its usage',
    answers: {
      200: json('The plan with its limits and usage.', usageSchema, {
        plan: 'business',
        artists: { used: 42, limit: 500 },
        seats: { used: 3, limit: 25 },
        keys: { used: 2, limit: 20 },
        destinations: { used: 1, limit: 10 },
        chat_destinations: { used: 0, limit: 10 },
        tools: { used: 12, limit: 1_000 },
        api_rate_per_hour: 60_000,
        paused_by_plan: { destinations: 0 },
      }),
    },
  },
  readUsageHistory: {
    route: 'GET /usage/history',
    summary: 'Read daily usage',
    query: z.object({ days: daysSchema.optional() }),
    answers: {
      200: page('The usage on each day.', usageHistorySchema, [
        { day: '2026-05-01', requests: 1_442, tool_calls: 12, deliveries: 7 },
      ]),
    },
  },
});

const KEY = {
  id: 'key_019e0f0c8c00b2f7a1d43e5f60718293',
  name: 'Reports',
  hint: 'aw_live_4f2A',
  scopes: ['read' as const],
  created_at: '2026-04-01T09:00:00.000Z',
  created_by: 'nina@label.example',
  last_used_at: '2026-05-01T11:59:30.000Z',
  expires_at: null,
  revoked_at: null,
};

const MEMBER = {
  id: 'mem_019e0f0c8c00b2f7a1d43e5f60718293',
  email: 'nina@label.example',
  role: 'owner' as const,
  created_at: '2026-04-01T09:00:00.000Z',
  joined_at: '2026-04-01T09:05:00.000Z',
};

export const ACCESS_OPERATIONS = operationsOf('Access', {
  listKeys: {
    route: 'GET /keys',
    summary: 'List API keys',
    description: 'Includes revoked keys.',
    query: z.object(pageParameters),
    answers: { 200: page('API keys.', apiKeyListSchema, [KEY]) },
  },
  listMembers: {
    route: 'GET /members',
    summary: 'List members',
    answers: { 200: page('All members.', memberListSchema, [MEMBER]) },
  },
});
