import { PLAN_NAMES } from '@artist-watch/domain/account/plans';
import { z } from 'zod';

const usedOfLimitSchema = z.object({ used: z.int().nonnegative(), limit: z.int().nonnegative() });

/** What the plan allows and how much of it is used (docs/reference/plans.md). */
export const usageSchema = z
  .object({
    plan: z.enum(PLAN_NAMES),
    artists: usedOfLimitSchema.describe('Artists that are watched.'),
    seats: usedOfLimitSchema.describe('Members of the account.'),
    api_rate_per_hour: z.int().positive().describe('Requests an hour, over all keys of the account.'),
    paused_by_plan: z
      .object({ destinations: z.int().nonnegative() })
      .describe('What the account has and its plan does not: it stays, and nothing is sent to it.'),
  })
  .meta({ id: 'Usage' });

export type Usage = z.infer<typeof usageSchema>;
