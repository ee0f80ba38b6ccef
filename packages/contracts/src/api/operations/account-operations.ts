import { z } from 'zod';
import { daysSchema, usageHistorySchema, usageSchema } from '../usage.js';
import type { ApiOperation } from './operation.js';

export const readUsage = {
  id: 'readUsage',
  method: 'GET',
  path: '/usage',
  tag: 'Usage',
  summary: 'Read plan and usage',
  successes: [
    {
      status: 200,
      description: 'Plan, limits and usage.',
      schema: usageSchema,
      example: {
        plan: 'business',
        artists: { used: 42, limit: 500 },
        seats: { used: 3, limit: 25 },
        keys: { used: 2, limit: 20 },
        destinations: { used: 1, limit: 10 },
        chat_destinations: { used: 0, limit: 10 },
        tools: { used: 12, limit: 1_000 },
        api_rate_per_hour: 60_000,
        paused_by_plan: { destinations: 0 },
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const readUsageHistory = {
  id: 'readUsageHistory',
  method: 'GET',
  path: '/usage/history',
  tag: 'Usage',
  summary: 'Read usage day by day',
  query: z.object({ days: daysSchema.optional() }),
  successes: [
    {
      status: 200,
      description: 'Days.',
      schema: usageHistorySchema,
      example: {
        data: [{ day: '2026-05-01', requests: 1_442, tool_calls: 12, deliveries: 7 }],
        next_cursor: null,
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;
