import { createGroupSchema, groupListSchema, groupSchema, MAX_GROUPS, updateGroupSchema } from '../group.js';
import { ARTIST } from './examples.js';
import { json, operationsOf, page } from './operation.js';

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
      'You keep watching its artists. A group in the rules of a destination cannot be deleted. ' +
      "The group is removed from the rules of members' emails, and a rule without artists and groups allows all artists.",
    answers: { 204: { description: 'Group deleted.' } },
    errors: ['conflict'],
  },
});
