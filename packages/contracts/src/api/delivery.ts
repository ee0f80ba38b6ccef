import {
  type ChargedBlame,
  DELIVERY_STATES,
  type DeliveryState,
  type Trigger,
} from '@artist-watch/domain/delivery/delivery-state';
import { z } from 'zod';
import { changeIdSchema, deliveryIdSchema, destinationIdSchema } from './identifiers.js';
import { instantSchema } from './instant.js';
import { nextCursorSchema } from './paging.js';

const deliveryFields = z.object({
  id: deliveryIdSchema,
  destination_id: destinationIdSchema,
  change_id: changeIdSchema.nullable().describe('Null for a test.'),
  state: z.enum(DELIVERY_STATES),
  trigger: z
    .enum(['change', 'test', 'resend', 'recover'])
    .describe('What set it going: a confirmed change, or a person who tests, resends or recovers.'),
  attempt_count: z.int().nonnegative(),
  next_attempt_at: instantSchema.nullable().describe('Null unless pending.'),
  created_at: instantSchema,
  settled_at: instantSchema.nullable().describe('Null while pending.'),
  skipped_reason: z.string().nullable(),
});

/** One change to one destination. */
export const deliverySchema = deliveryFields.meta({ id: 'Delivery', description: 'One change to one destination.' });

/** One POST. */
export const attemptSchema = z
  .object({
    id: z.string(),
    number: z.int().positive().describe('From 1, over all rounds: the value of X-Service-Attempt.'),
    outcome: z.enum(['succeeded', 'failed']),
    blame: z
      .enum(['receiver', 'policy'])
      .nullable()
      .describe("Whose fault: the receiver's, or an address that policy forbids; null when it succeeded."),
    status_code: z.int().nullable().describe('Null when no status line arrived.'),
    error: z.string().nullable().describe('A token for programs; null when it succeeded.'),
    reason: z.string().nullable().describe('A sentence for people; null when it succeeded.'),
    response_excerpt: z.string().nullable().describe('At most 4 KiB of what the receiver said.'),
    started_at: instantSchema,
    ended_at: instantSchema,
  })
  .meta({ id: 'Attempt', description: 'One POST.' });

/** A delivery with its attempts. */
export const deliveryDetailSchema = deliveryFields
  .extend({ attempts: z.array(attemptSchema).describe('First one first.') })
  .meta({ id: 'DeliveryDetail' });

export const deliveryListSchema = z
  .object({ data: z.array(deliverySchema).describe('Newest first.'), next_cursor: nextCursorSchema })
  .meta({ id: 'DeliveryList' });

/** The answer to a recovery with `dry_run`. */
export const recoveryPreviewSchema = z
  .object({
    dry_run: z.literal(true).describe('Nothing was sent.'),
    recovered: z.int().nonnegative().describe('How many deliveries would be set going.'),
    first: deliverySchema.nullable().describe('The one that was made first; null where there is none.'),
    last: deliverySchema.nullable().describe('The one that was made last; null where there is none.'),
  })
  .meta({ id: 'RecoveryPreview' });

/** Filters of `GET /deliveries`; together they narrow. */
export const deliveryFilterSchema = z.object({
  destination: destinationIdSchema.optional().describe('Only to this destination.'),
  state: z
    .enum(DELIVERY_STATES, { error: `must be one of ${DELIVERY_STATES.join(', ')}` })
    .optional()
    .describe('Only in this state.'),
  change: changeIdSchema.optional().describe('Only of this change.'),
});

export type DeliveryItem = z.infer<typeof deliverySchema>;
export type AttemptItem = z.infer<typeof attemptSchema>;
export type RecoveryPreview = z.infer<typeof recoveryPreviewSchema>;
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;

/** What is shown of a delivery that was read from the record. */
export interface ShownDelivery {
  readonly id: string;
  readonly destinationId: string;
  readonly changeId: string | null;
  readonly state: DeliveryState;
  readonly trigger: Trigger;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
  readonly skippedReason: string | null;
}

export interface ShownAttempt {
  readonly id: string;
  readonly number: number;
  readonly outcome: 'succeeded' | 'failed';
  readonly blame: ChargedBlame | null;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly reason: string | null;
  readonly responseExcerpt: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

export function presentDelivery(delivery: ShownDelivery): DeliveryItem {
  return {
    id: delivery.id,
    destination_id: delivery.destinationId,
    change_id: delivery.changeId,
    state: delivery.state,
    trigger: delivery.trigger,
    attempt_count: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    settled_at: delivery.settledAt?.toISOString() ?? null,
    skipped_reason: delivery.skippedReason,
  };
}

export interface ShownRecoveryPreview {
  readonly count: number;
  readonly first: ShownDelivery | null;
  readonly last: ShownDelivery | null;
}

export function presentRecoveryPreview({ count, first, last }: ShownRecoveryPreview): RecoveryPreview {
  return {
    dry_run: true,
    recovered: count,
    first: first && presentDelivery(first),
    last: last && presentDelivery(last),
  };
}

export function presentDeliveryDetail(
  delivery: ShownDelivery & { readonly attempts: readonly ShownAttempt[] },
): DeliveryDetail {
  return { ...presentDelivery(delivery), attempts: delivery.attempts.map(presentAttempt) };
}

function presentAttempt(attempt: ShownAttempt): AttemptItem {
  return {
    id: attempt.id,
    number: attempt.number,
    outcome: attempt.outcome,
    blame: attempt.blame,
    status_code: attempt.statusCode,
    error: attempt.error,
    reason: attempt.reason,
    response_excerpt: attempt.responseExcerpt,
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt.toISOString(),
  };
}
