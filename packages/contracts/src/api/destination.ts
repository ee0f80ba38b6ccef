import { SEVERITIES } from '@artist-watch/domain/change-types';
import type { DestinationRules } from '@artist-watch/domain/destination-rules';
import { z } from 'zod';
import { instantSchema } from './instant.js';

/** What the account was told about a destination: the run of failures grew long, or switched it off. */
const warningSchema = z.strictObject({
  kind: z.enum(['warning', 'switched_off']),
  at: instantSchema,
  /** In a row, at that instant. */
  consecutive_failures: z.int().nonnegative(),
  message: z.string(),
});

/** Which changes a destination lets through: AND between the three, OR within one; null or empty lets all through. */
const rulesSchema = z.strictObject({
  min_severity: z.enum(SEVERITIES).nullable(),
  change_types: z.array(z.string()),
  artist_ids: z.array(z.string()),
});

/** A webhook address of the account (DESIGN section 4, destination bodies). */
export const destinationSchema = z.strictObject({
  id: z.string(),
  url: z.string(),
  state: z.enum(['active', 'off']),
  /** Are its webhooks signed? */
  signed: z.boolean(),
  rules: rulesSchema,
  consecutive_failures: z.int().nonnegative(),
  created_at: instantSchema,
  switched_off_at: instantSchema.nullable(),
  switched_off_reason: z.string().nullable(),
  /** Newest first. */
  warnings: z.array(warningSchema),
});

/** The one answer that shows the signing secret; null for an unsigned destination. */
export const createdDestinationSchema = destinationSchema.extend({ secret: z.string().nullable() });

/** The one answer that shows the next signing secret, which is in force from `activate-secret` on. */
export const rotatedDestinationSchema = destinationSchema.extend({ next_secret: z.string() });

/** There are never more than the plan allows, so all of them, newest first. */
export const destinationListSchema = z.strictObject({ data: z.array(destinationSchema), next_cursor: z.null() });

export type DestinationItem = z.infer<typeof destinationSchema>;

/** What is shown of a destination that was read from the record. */
export interface ShownDestination {
  readonly id: string;
  readonly url: string;
  readonly state: 'active' | 'off';
  readonly signed: boolean;
  readonly rules: DestinationRules;
  readonly consecutiveFailures: number;
  readonly createdAt: Date;
  readonly switchedOffAt: Date | null;
  readonly switchedOffReason: string | null;
  readonly notices: readonly {
    readonly kind: string;
    readonly at: Date;
    readonly consecutiveFailures: number;
    readonly reason: string;
  }[];
}

export function presentDestination(destination: ShownDestination): DestinationItem {
  return {
    id: destination.id,
    url: destination.url,
    state: destination.state,
    signed: destination.signed,
    rules: {
      min_severity: destination.rules.minSeverity,
      change_types: [...destination.rules.changeTypes],
      artist_ids: [...destination.rules.artistIds],
    },
    consecutive_failures: destination.consecutiveFailures,
    created_at: destination.createdAt.toISOString(),
    switched_off_at: destination.switchedOffAt?.toISOString() ?? null,
    switched_off_reason: destination.switchedOffReason,
    warnings: destination.notices.flatMap(({ kind, at, consecutiveFailures, reason }) =>
      kind === 'warning' || kind === 'switched_off'
        ? [{ kind, at: at.toISOString(), consecutive_failures: consecutiveFailures, message: reason }]
        : [],
    ),
  };
}
