import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import { z } from 'zod';
import { destinationIdSchema } from './identifiers.js';
import { instantSchema } from './instant.js';

/** What the account was told about a destination: the run of failures grew long, or switched it off. */
const warningSchema = z
  .object({
    kind: z.enum(['warning', 'switched_off']),
    at: instantSchema,
    consecutive_failures: z.int().nonnegative().describe('In a row, at that instant.'),
    message: z.string(),
  })
  .meta({ id: 'DestinationWarning' });

/** Which changes a destination lets through: AND between the three, OR within one; null or empty lets all through. */
const rulesSchema = z
  .object({
    min_severity: z.enum(SEVERITIES).nullable().describe('The least grave severity that passes; null for every one.'),
    change_types: z.array(z.string()).describe('Empty for every type.'),
    artist_ids: z.array(z.string()).describe('Empty for every watched artist.'),
  })
  .meta({
    id: 'DestinationRules',
    description: 'Which changes the destination lets through: all three must pass, by any entry of a list.',
  });

const destinationFields = z.object({
  id: destinationIdSchema,
  url: z.string(),
  state: z.enum(['active', 'off']).describe('Nothing is sent while it is off.'),
  signed: z.boolean().describe('Are its webhooks signed?'),
  rules: rulesSchema,
  consecutive_failures: z.int().nonnegative().describe('Failed attempts in a row; the 20th switches it off.'),
  created_at: instantSchema,
  switched_off_at: instantSchema.nullable(),
  switched_off_reason: z.string().nullable(),
  warnings: z.array(warningSchema).describe('The newest 20, newest first.'),
});

/** A webhook address of the account (DESIGN section 4, destination bodies). */
export const destinationSchema = destinationFields.meta({
  id: 'Destination',
  description: 'An address of the account that changes are posted to.',
});

/** The one answer that shows the signing secret; null for an unsigned destination. */
export const createdDestinationSchema = destinationFields
  .extend({ secret: z.string().nullable().describe('Shown in this one answer only; null for unsigned.') })
  .meta({ id: 'CreatedDestination' });

/** The one answer that shows the next signing secret, which is in force from `activate-secret` on. */
export const rotatedDestinationSchema = destinationFields
  .extend({ next_secret: z.string().describe('Shown in this one answer only; in force from activate-secret on.') })
  .meta({ id: 'RotatedDestination' });

/** There are never more than the plan allows, so all of them. */
export const destinationListSchema = z
  .object({ data: z.array(destinationSchema).describe('All of them, newest first.'), next_cursor: z.null() })
  .meta({ id: 'DestinationList' });

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
