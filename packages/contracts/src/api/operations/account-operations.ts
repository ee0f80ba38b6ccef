import { z } from 'zod';
import { daysSchema, usageHistorySchema, usageSchema } from '../usage.js';
import { json, operationsOf, page } from './operation.js';

export const ACCOUNT_OPERATIONS = operationsOf('Usage', {
  readUsage: {
    route: 'GET /usage',
    summary: 'Read plan and usage',
    answers: {
      200: json('Plan, limits and usage.', usageSchema, {
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
      200: page('Days.', usageHistorySchema, [{ day: '2026-05-01', requests: 1_442, tool_calls: 12, deliveries: 7 }]),
    },
  },
});
