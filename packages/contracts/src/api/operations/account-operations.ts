import { z } from 'zod';
import { apiKeyListSchema, daysSchema, memberListSchema, usageHistorySchema, usageSchema } from '../account.js';
import { pageParameters } from '../identifiers.js';
import { json, operationsOf, page } from './operation.js';

export const ACCOUNT_OPERATIONS = operationsOf('Usage', {
  readUsage: {
    route: 'GET /usage',
    summary: 'Read plan and usage',
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
    summary: 'Read usage day by day',
    query: z.object({ days: daysSchema.optional() }),
    answers: {
      200: page('The usage of each day.', usageHistorySchema, [
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
