import {
  type ChargedBlame,
  DELIVERY_STATES,
  type DeliveryState,
  type Trigger,
} from '@artist-watch/domain/delivery-state';
import { z } from 'zod';
import { instantSchema } from './instant.js';
import { nextCursorSchema } from './paging.js';

/** One change to one destination. */
export const deliverySchema = z.strictObject({
  id: z.string(),
  destination_id: z.string(),
  /** Null for a test. */
  change_id: z.string().nullable(),
  state: z.enum(DELIVERY_STATES),
  /** What set it going: a confirmed change, or a person who tests, resends or recovers. */
  trigger: z.enum(['change', 'test', 'resend', 'recover']),
  attempt_count: z.int().nonnegative(),
  /** Null unless pending. */
  next_attempt_at: instantSchema.nullable(),
  created_at: instantSchema,
  /** Null while pending. */
  settled_at: instantSchema.nullable(),
  skipped_reason: z.string().nullable(),
});

/** One POST. */
export const attemptSchema = z.strictObject({
  id: z.string(),
  /** From 1, over all rounds: the value of X-Service-Attempt. */
  number: z.int().positive(),
  outcome: z.enum(['succeeded', 'failed']),
  /** Whose fault: the receiver's, or an address that policy forbids; null when it succeeded. */
  blame: z.enum(['receiver', 'policy']).nullable(),
  /** Null when no status line arrived. */
  status_code: z.int().nullable(),
  /** A token for programs and a sentence for people; null when it succeeded. */
  error: z.string().nullable(),
  reason: z.string().nullable(),
  /** At most 4 KiB of what the receiver said. */
  response_excerpt: z.string().nullable(),
  started_at: instantSchema,
  ended_at: instantSchema,
});

/** A delivery with its attempts, first one first. */
export const deliveryDetailSchema = deliverySchema.extend({ attempts: z.array(attemptSchema) });

/** Newest first. */
export const deliveryListSchema = z.strictObject({ data: z.array(deliverySchema), next_cursor: nextCursorSchema });

export type DeliveryItem = z.infer<typeof deliverySchema>;
export type AttemptItem = z.infer<typeof attemptSchema>;
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
