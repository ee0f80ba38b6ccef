import { KEY_SCOPES } from '@artist-watch/domain/account/api-key';
import { PLAN_NAMES } from '@artist-watch/domain/account/plans';
import { z } from 'zod';
import { instantSchema, listOf, wholeNumber } from './identifiers.js';
import { presenter } from './shown.js';

const usedOfLimitSchema = z.object({ used: z.int().nonnegative(), limit: z.int().nonnegative() });

/** What the plan allows and how much of it is used (docs/reference/plans.md). */
export const usageSchema = z
  .object({
    plan: z.enum(PLAN_NAMES),
    artists: usedOfLimitSchema.describe('Artists that are watched.'),
    seats: usedOfLimitSchema.describe('Members of the account.'),
    keys: usedOfLimitSchema.describe('API keys that are not revoked.'),
    destinations: usedOfLimitSchema.describe('Webhook destinations, paused ones included.'),
    chat_destinations: usedOfLimitSchema.describe('Slack and Discord destinations, paused ones included.'),
    tools: usedOfLimitSchema.describe('Tool calls of the UTC day.'),
    api_rate_per_hour: z.int().positive().describe('Requests an hour, over all keys of the account.'),
    paused_by_plan: z
      .object({ destinations: z.int().nonnegative() })
      .describe('What the account has and its plan does not: it stays, and nothing is sent to it.'),
  })
  .meta({ id: 'Usage' });

export const usageDaySchema = z
  .object({
    day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
    requests: z.int().nonnegative().describe('Of the API, refused ones excluded; up to a minute behind.'),
    tool_calls: z.int().nonnegative(),
    deliveries: z.int().nonnegative().describe('Deliveries that were made on the day, whatever became of them.'),
  })
  .meta({ id: 'UsageDay', description: 'What the account used on a UTC day.' });

export type UsageHistoryItem = z.infer<typeof usageDaySchema>;

export const presentUsageDay = presenter(usageDaySchema);

export const usageHistorySchema = listOf('UsageDayList', usageDaySchema, 'Oldest first, the last one is today.');

/** As far back as tool calls and deliveries are kept. */
const MOST_DAYS = 90;

export const daysSchema = wholeNumber(MOST_DAYS, `must be one whole number from 1 to ${MOST_DAYS}`).meta({
  type: 'integer',
  minimum: 1,
  maximum: MOST_DAYS,
  default: 30,
  description: 'How many days, today included.',
});

export type Usage = z.infer<typeof usageSchema>;

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
  .meta({ id: 'Member', description: 'A person with access to the account.' });

export const memberListSchema = listOf('MemberList', memberSchema, 'Oldest first.');

export const presentMember = presenter(memberSchema);
