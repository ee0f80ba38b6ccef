import { usageSchema } from '../usage.js';
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
        api_rate_per_hour: 60_000,
        paused_by_plan: { destinations: 0 },
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;
