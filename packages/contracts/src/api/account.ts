import { KEY_SCOPES } from '@artist-watch/domain/account/api-key';
import { artistsUsed, PLAN_NAMES, PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { z } from 'zod';
import { instantSchema, listOf, openEnum, presenter, wholeNumber } from './fields.js';

const usedOfLimitSchema = z.object({ used: z.int().nonnegative(), limit: z.int().nonnegative() });

/** See docs/api/plans.md. */
export const usageSchema = z
  .object({
    plan: openEnum(PLAN_NAMES),
    artists: usedOfLimitSchema.describe('Watched artists.'),
    seats: usedOfLimitSchema.describe('Members of the account.'),
    keys: usedOfLimitSchema.describe('Valid API keys.'),
    destinations: usedOfLimitSchema.describe('Webhook destinations, including paused ones.'),
    chat_destinations: usedOfLimitSchema.describe('Slack and Discord destinations, including paused ones.'),
    tools: usedOfLimitSchema.describe('Tool calls on the current UTC day.'),
    api_rate_per_hour: z
      .int()
      .positive()
      .describe('Maximum number of requests per hour, for all API keys of the account together.'),
    paused_by_plan: z
      .object({ destinations: z.int().nonnegative() })
      .describe('Destinations that the plan no longer includes. They are kept, but nothing is sent to them.'),
  })
  .meta({ id: 'Usage' });

export const usageDaySchema = z
  .object({
    day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
    requests: z
      .int()
      .nonnegative()
      .describe('Number of API requests, excluding those rejected with `rate_limited`. Can lag by up to 30 seconds.'),
    tool_calls: z.int().nonnegative(),
    deliveries: z.int().nonnegative().describe('Number of deliveries created on this day, in any state.'),
  })
  .meta({ id: 'UsageDay', description: 'The usage on one UTC day.' });

export type UsageHistoryItem = z.infer<typeof usageDaySchema>;

export const presentUsageDay = presenter(usageDaySchema);

export const usageHistorySchema = listOf('UsageDayList', usageDaySchema, 'Oldest day first. The last day is today.');

/** We store tool calls and deliveries for this many days. */
const MOST_DAYS = 90;

export const daysSchema = wholeNumber(MOST_DAYS, `must be a single whole number from 1 to ${MOST_DAYS}`).meta({
  type: 'integer',
  minimum: 1,
  maximum: MOST_DAYS,
  default: 30,
  description: 'Number of days to return, including today.',
});

type Usage = z.infer<typeof usageSchema>;

export interface AccountUse {
  readonly watches: number;
  readonly withoutArtist: number;
  readonly seats: number;
  readonly keys: number;
  readonly destinations: number;
  readonly chatDestinations: number;
  readonly toolCalls: number;
  readonly pausedDestinations: number;
}

export function presentUsage(plan: PlanName, used: AccountUse): Usage {
  const limits = PLANS[plan];
  return {
    plan,
    artists: { used: artistsUsed(used, limits), limit: limits.artists },
    seats: { used: used.seats, limit: limits.seats },
    keys: { used: used.keys, limit: limits.keys },
    destinations: { used: used.destinations, limit: limits.destinations },
    chat_destinations: { used: used.chatDestinations, limit: limits.chatDestinations },
    tools: { used: used.toolCalls, limit: limits.toolCallsPerDay },
    api_rate_per_hour: limits.apiRequestsPerHour,
    paused_by_plan: { destinations: used.pausedDestinations },
  };
}

/** Does not contain the key itself, which is returned only at creation. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    hint: z.string().describe('The first characters of the key.'),
    scopes: z
      .array(openEnum(KEY_SCOPES))
      .describe('`manage` allows requests that change something, and `read` allows all other requests.'),
    created_at: instantSchema,
    created_by: z.string().nullable().describe('The email address of a member, or `operator`. Null if unknown.'),
    last_used_at: instantSchema
      .nullable()
      .describe('Time of the last request. Can lag by up to 30 seconds. Null before the first request.'),
    expires_at: instantSchema.nullable().describe('From this time on, the key is rejected. Null if it never expires.'),
    revoked_at: instantSchema.nullable().describe('Null unless the key was revoked.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key of the account.' });

export const apiKeyListSchema = listOf('ApiKeyList', apiKeySchema, 'Newest first.');

export type ApiKeyItem = z.infer<typeof apiKeySchema>;

export const presentApiKey = presenter(apiKeySchema);

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role: openEnum(['owner', 'member'], 'An owner can also manage members, keys and secrets.'),
    created_at: instantSchema,
    joined_at: instantSchema.nullable().describe('Time of the first sign-in. Null until then.'),
  })
  .meta({ id: 'Member', description: 'A person with access to the account.' });

export const memberListSchema = listOf('MemberList', memberSchema, 'Oldest first.');

export const presentMember = presenter(memberSchema);
