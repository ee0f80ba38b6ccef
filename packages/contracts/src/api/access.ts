import { KEY_SCOPES } from '@artist-watch/domain/account/api-key';
import { z } from 'zod';
import { instantSchema, listOf } from './identifiers.js';
import { presenter } from './shown.js';

/** An item of `GET /keys`: the key itself is shown once, when it is issued. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    hint: z.string().describe('First characters of the key.'),
    scopes: z
      .array(z.enum(KEY_SCOPES))
      .describe('`manage` is for everything that changes something, `read` for the rest.'),
    created_at: instantSchema,
    created_by: z.string().nullable().describe('`operator`, or the address of a member; null where it is not known.'),
    last_used_at: instantSchema.nullable().describe('Up to a minute behind; null before the first request.'),
    revoked_at: instantSchema.nullable().describe('Null while the key is valid.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key of the account.' });

export const apiKeyListSchema = listOf('ApiKeyList', apiKeySchema, 'Newest first.');

export type ApiKeyItem = z.infer<typeof apiKeySchema>;

export const presentApiKey = presenter(apiKeySchema);

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(['owner', 'member']).describe('An owner also manages members, keys and secrets.'),
    created_at: instantSchema,
    joined_at: instantSchema.nullable().describe('The first sign-in; null while the member is only invited.'),
  })
  .meta({ id: 'Member', description: 'A person in the account: a seat.' });

export const memberListSchema = listOf('MemberList', memberSchema, 'Oldest first.');

export const presentMember = presenter(memberSchema);
