import { PLAN_NAMES } from '@artist-watch/domain/plans';
import { z } from 'zod';

const usedOfLimitSchema = z.strictObject({ used: z.int().nonnegative(), limit: z.int().nonnegative() });

/** What the plan allows and how much of it is used (SPEC section 2). */
export const usageSchema = z.strictObject({
  plan: z.enum(PLAN_NAMES),
  artists: usedOfLimitSchema,
  seats: usedOfLimitSchema,
  api_rate_per_hour: z.int().positive(),
});

export type Usage = z.infer<typeof usageSchema>;
