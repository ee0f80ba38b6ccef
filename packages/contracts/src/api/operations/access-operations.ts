import { z } from 'zod';
import { apiKeyListSchema, memberListSchema } from '../access.js';
import { cursorSchema, limitSchema } from '../identifiers.js';
import type { ApiOperation } from './operation.js';

export const listKeys = {
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  tag: 'Access',
  summary: 'List API keys',
  description: 'Revoked ones too.',
  query: z.object({ limit: limitSchema.optional(), cursor: cursorSchema.optional() }),
  successes: [
    {
      status: 200,
      description: 'API keys.',
      schema: apiKeyListSchema,
      example: {
        data: [
          {
            id: 'key_019e0f0c8c00b2f7a1d43e5f60718293',
            name: 'Reports',
            hint: 'aw_live_4f2A',
            scopes: ['read'],
            created_at: '2026-04-01T09:00:00.000Z',
            created_by: 'nina@label.example',
            last_used_at: '2026-05-01T11:59:30.000Z',
            revoked_at: null,
          },
        ],
        next_cursor: null,
      },
      headers: ['Link'],
    },
  ],
  errors: ['invalid_limit', 'invalid_cursor'],
} as const satisfies ApiOperation;

export const listMembers = {
  id: 'listMembers',
  method: 'GET',
  path: '/members',
  tag: 'Access',
  summary: 'List members',
  successes: [
    {
      status: 200,
      description: 'All members.',
      schema: memberListSchema,
      example: {
        data: [
          {
            id: 'mem_019e0f0c8c00b2f7a1d43e5f60718293',
            email: 'nina@label.example',
            role: 'owner',
            created_at: '2026-04-01T09:00:00.000Z',
            joined_at: '2026-04-01T09:05:00.000Z',
          },
        ],
        next_cursor: null,
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;
