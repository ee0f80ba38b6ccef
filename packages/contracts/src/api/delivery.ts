import { ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { ATTEMPT_ERRORS, adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import { STATUS_CLASSES } from '@artist-watch/domain/delivery/delivery-filter';
import { DELIVERY_STATES, TRIGGERS, type Trigger } from '@artist-watch/domain/delivery/delivery-state';
import { z } from 'zod';
import { dryRun, endOfRecovery, instantText, recoveryCursor } from './destination-input.js';
import { changeIdSchema, deliveryIdSchema, destinationIdSchema, instantSchema, listOf } from './identifiers.js';
import { presenter, type Shown } from './shown.js';
import { sinceSchema, untilSchema } from './since.js';

const deliveryFields = z.object({
  id: deliveryIdSchema,
  destination_id: destinationIdSchema,
  change_id: changeIdSchema.nullable().describe('Null for a test.'),
  state: z.enum(DELIVERY_STATES),
  trigger: z
    .enum(Object.keys(TRIGGERS) as readonly Trigger[])
    .describe('What set it going: a confirmed change, or a person who tests, resends or recovers.'),
  attempt_count: z.int().nonnegative(),
  next_attempt_at: instantSchema.nullable().describe('Null unless pending.'),
  created_at: instantSchema,
  settled_at: instantSchema.nullable().describe('Null while pending.'),
  skipped_reason: z.string().nullable(),
});

export const deliverySchema = deliveryFields.meta({ id: 'Delivery', description: 'One change to one destination.' });

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
    advice: z.string().nullable().describe('What to do about it, a sentence for people; null when it succeeded.'),
    response_excerpt: z.string().nullable().describe('At most 4 KiB of what the receiver said.'),
    started_at: instantSchema,
    ended_at: instantSchema,
    duration_ms: z.int().nonnegative(),
  })
  .meta({ id: 'Attempt', description: 'One POST.' });

export const deliveredChangeSchema = z
  .object({
    type: z.string(),
    severity: z.enum(SEVERITIES),
    summary: z.string(),
    entity_type: z.enum(ENTITY_TYPES),
    entity_name: z.string(),
    artist_id: z.string(),
    artist_name: z.string().describe('As it was when the change was confirmed.'),
  })
  .meta({ id: 'DeliveredChange', description: 'The change that a delivery is about.' });

const sentRequestSchema = z
  .object({
    method: z.literal('POST'),
    url: z.string().describe('The address of the destination, as it is now.'),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe('Of the newest attempt, or of the first one to come; the signature is hidden.'),
    body: z.string().describe('The exact bytes that every attempt sends, in UTF-8.'),
  })
  .meta({ id: 'SentRequest', description: 'The request as the receiver gets it.' });

export const deliveryDetailSchema = deliveryFields
  .extend({
    attempts: z.array(attemptSchema).describe('First one first.'),
    change: deliveredChangeSchema.nullable().describe('Null for a test.'),
    request: sentRequestSchema.nullable().describe('Null once the change is past every history.'),
  })
  .meta({ id: 'DeliveryDetail' });

export const deliveryListSchema = listOf('DeliveryList', deliverySchema, 'Newest first.');

/** The answer to a recovery with `dry_run`. */
export const recoveryPreviewSchema = z
  .object({
    dry_run: z.literal(true).describe('Nothing was sent.'),
    would_send: z
      .int()
      .nonnegative()
      .describe('Deliveries that a recovery without `dry_run` would send, over all its calls.'),
    recovered: z.int().nonnegative().describe('The same number as `would_send`; use that.'),
    first: deliverySchema.nullable().describe('The one that was made first; null where there is none.'),
    last: deliverySchema.nullable().describe('The one that was made last; null where there is none.'),
  })
  .meta({ id: 'RecoveryPreview' });

/** The same of a recovery of all that match a filter. */
export const matchingRecoveryPreviewSchema = recoveryPreviewSchema
  .extend({
    left_out: z
      .int()
      .nonnegative()
      .describe('Matching deliveries of existing destinations that are off or paused: these are not sent.'),
  })
  .meta({ id: 'MatchingRecoveryPreview' });

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

const ofFailures = {
  error: oneOf(ATTEMPT_ERRORS).optional().describe('Only what failed so: the error of the newest failed attempt.'),
  status_class: oneOf(STATUS_CLASSES)
    .optional()
    .describe('Only where the newest failed attempt was answered so; none: no status line came.'),
  blame: oneOf(['receiver', 'policy']).optional().describe('Only where the newest failed attempt is its fault.'),
};

/** Filters of `GET /deliveries`; together they narrow. */
export const deliveryFilterSchema = z.object({
  destination: destinationIdSchema.optional().describe('Only to this destination.'),
  state: oneOf(DELIVERY_STATES).optional().describe('Only in this state.'),
  change: changeIdSchema.optional().describe('Only of this change.'),
  since: sinceSchema.optional().describe('Only made at this instant or later.'),
  until: untilSchema.optional().meta({ description: 'Only made before this instant.' }),
  trigger: oneOf(Object.keys(TRIGGERS) as readonly Trigger[])
    .optional()
    .describe('Only what was set going so.'),
  ...ofFailures,
});

export const recoverMatchingSchema = z
  .strictObject({
    since: instantText('RFC 3339 instant with a zone; deliveries made at this instant or later.'),
    ...endOfRecovery,
    destination: destinationIdSchema.optional().describe('Only to this destination, which must be on.'),
    state: oneOf(['failed', 'skipped']).optional().describe('Only in this state; both unless given.'),
    change: changeIdSchema.optional().describe('Only of this change.'),
    trigger: oneOf(['change', 'resend', 'recover']).optional().describe('Only what was last set going so.'),
    ...ofFailures,
    ...recoveryCursor,
    ...dryRun,
  })
  .meta({ id: 'RecoverMatchingRequest' });

export type DeliveryItem = z.infer<typeof deliverySchema>;
export type DeliveryDetailItem = z.infer<typeof deliveryDetailSchema>;

type ShownDelivery = Shown<DeliveryItem>;
type ShownAttempt = Omit<Shown<z.infer<typeof attemptSchema>>, 'advice' | 'durationMs'>;

export const presentDelivery = presenter(deliverySchema);

interface ShownRecoveryPreview {
  readonly count: number;
  readonly first: ShownDelivery | null;
  readonly last: ShownDelivery | null;
}

export function presentRecoveryPreview({
  count,
  first,
  last,
}: ShownRecoveryPreview): z.infer<typeof recoveryPreviewSchema> {
  return {
    dry_run: true,
    would_send: count,
    recovered: count,
    first: first && presentDelivery(first),
    last: last && presentDelivery(last),
  };
}

export function presentMatchingRecoveryPreview(
  preview: ShownRecoveryPreview & { readonly leftOut: number },
): z.infer<typeof matchingRecoveryPreviewSchema> {
  return { ...presentRecoveryPreview(preview), left_out: preview.leftOut };
}

const presentChange = presenter(deliveredChangeSchema);
const attemptOf = presenter(attemptSchema);

/** A delivery with what it is about, what was sent, and what came of it. */
export function presentDeliveryDetail({
  attempts,
  change,
  request,
  ...delivery
}: ShownDelivery & {
  readonly attempts: readonly ShownAttempt[];
  readonly change: Shown<z.infer<typeof deliveredChangeSchema>> | null;
  readonly request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  } | null;
}): DeliveryDetailItem {
  return {
    ...presentDelivery(delivery),
    attempts: attempts.map(presentAttempt),
    change: change && presentChange(change),
    request: request && {
      method: 'POST',
      url: request.url,
      headers: Object.entries(request.headers).map(([name, value]) => ({ name, value })),
      body: request.body,
    },
  };
}

function presentAttempt(attempt: ShownAttempt): z.infer<typeof attemptSchema> {
  return attemptOf({
    ...attempt,
    advice: attempt.error === null ? null : adviceOn(attempt.error),
    durationMs: Math.max(0, attempt.endedAt.getTime() - attempt.startedAt.getTime()),
  });
}
