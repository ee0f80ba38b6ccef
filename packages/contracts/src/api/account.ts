import { KEY_SCOPES } from '@artist-watch/domain/account/api-key';
import { PLAN_NAMES } from '@artist-watch/domain/account/plans';
import { z } from 'zod';
import { openEnum } from './enums.js';
import { instantSchema, listOf, wholeNumber } from './identifiers.js';
import { presenter } from './shown.js';

const usedOfLimitSchema = z.object({ used: z.int().nonnegative(), limit: z.int().nonnegative() });

/** The limits of the plan and their use (docs/reference/plans.md). */
export const usageSchema = z
  .object({
    plan: openEnum(PLAN_NAMES),
    artists: usedOfLimitSchema.describe('Watched artists.'),
    seats: usedOfLimitSchema.describe('Members of the account.'),
    keys: usedOfLimitSchema.describe('Valid API keys.'),
    destinations: usedOfLimitSchema.describe('Webhook destinations, paused ones included.'),
    chat_destinations: usedOfLimitSchema.describe('Slack and Discord destinations, paused ones included.'),
    tools: usedOfLimitSchema.describe('Tool calls of the UTC day.'),
    api_rate_per_hour: z.int().positive().describe('Requests an hour, over all API keys of the account.'),
    paused_by_plan: z
      .object({ destinations: z.int().nonnegative() })
      .describe('Destinations that the plan no longer includes. They stay, and nothing is sent to them.'),
  })
  .meta({ id: 'Usage' });

export const usageDaySchema = z
  .object({
    day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
    requests: z.int().nonnegative().describe('API requests, except rejected ones. Up to a minute behind.'),
    tool_calls: z.int().nonnegative(),
    deliveries: z.int().nonnegative().describe('Deliveries created on this day, in any state.'),
  })
  .meta({ id: 'UsageDay', description: 'Usage of a UTC day.' });

export type UsageHistoryItem = z.infer<typeof usageDaySchema>;

export const presentUsageDay = presenter(usageDaySchema);

export const usageHistorySchema = listOf('UsageDayList', usageDaySchema, 'Oldest first. The last one is today.');

/** Number of days for which we store tool calls and deliveries. */
const MOST_DAYS = 90;

export const daysSchema = wholeNumber(MOST_DAYS, `must be one whole number from 1 to ${MOST_DAYS}`).meta({
  type: 'integer',
  minimum: 1,
  maximum: MOST_DAYS,
  default: 30,
  description: 'Number of days, including today.',
});

export type Usage = z.infer<typeof usageSchema>;

/** An item of `GET /keys`. The key itself is shown once, when it is created. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    hint: z.string().describe('First characters of the key.'),
    scopes: z.array(openEnum(KEY_SCOPES)).describe('`manage` allows writes, `read` everything else.'),
    created_at: instantSchema,
    created_by: z.string().nullable().describe('`operator`, or the email address of a member. Null if unknown.'),
    last_used_at: instantSchema.nullable().describe('Up to a minute behind. Null before the first request.'),
    expires_at: instantSchema.nullable().describe('The key is rejected from this time on; null if it never expires.'),
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
    role: openEnum(['owner', 'member'], 'An owner also manages members, keys and secrets.'),
    created_at: instantSchema,
    joined_at: instantSchema.nullable().describe('The first sign-in. Null until then.'),
  })
  .meta({ id: 'Member', description: 'A person with access to the account.' });

export const memberListSchema = listOf('MemberList', memberSchema, 'Oldest first.');

export const presentMember = presenter(memberSchema);
