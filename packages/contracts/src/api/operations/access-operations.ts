import { z } from 'zod';
import { apiKeyListSchema, memberListSchema } from '../access.js';
import { pageParameters } from '../identifiers.js';
import { operationsOf, page } from './operation.js';

const KEY = {
  id: 'key_019e0f0c8c00b2f7a1d43e5f60718293',
  name: 'Reports',
  hint: 'aw_live_4f2A',
  scopes: ['read' as const],
  created_at: '2026-04-01T09:00:00.000Z',
  created_by: 'nina@label.example',
  last_used_at: '2026-05-01T11:59:30.000Z',
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
    description: 'Revoked ones too.',
    query: z.object(pageParameters),
    answers: { 200: page('API keys.', apiKeyListSchema, [KEY]) },
  },
  listMembers: {
    route: 'GET /members',
    summary: 'List members',
    answers: { 200: page('All members.', memberListSchema, [MEMBER]) },
  },
});
