import { ATTEMPT_ERRORS, adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import {
  DELIVERY_STATES,
  type DeliveryFilter,
  STATUS_CLASSES,
  TRIGGERS,
  type Trigger,
} from '@artist-watch/domain/delivery/delivery-state';
import type { ChangeId, DestinationId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import { sinceSchema, untilSchema } from './change-filter.js';
import { dryRun, endOfRecovery, instantText, type recoveredSchema, recoveryCursor } from './destination-input.js';
import {
  changeIdSchema,
  changeTypeSchema,
  deliveryIdSchema,
  destinationIdSchema,
  entityTypeSchema,
  instantSchema,
  listOf,
  OR_NULL,
  oneOf,
  openEnum,
  presenter,
  type Shown,
  severitySchema,
} from './fields.js';

const deliveryFields = z.object({
  id: deliveryIdSchema,
  destination_id: destinationIdSchema,
  change_id: changeIdSchema.nullable().describe('Null if the delivery is a test of its destination.'),
  state: openEnum(DELIVERY_STATES),
  trigger: openEnum(
    Object.keys(TRIGGERS) as readonly Trigger[],
    'The cause of the delivery: a confirmed change, a test, a resend or a recovery.',
  ),
  attempt_count: z.int().nonnegative(),
  next_attempt_at: instantSchema.nullable().describe('Null unless the delivery is pending.'),
  created_at: instantSchema,
  settled_at: instantSchema.nullable().describe('Null while the delivery is pending.'),
  skipped_reason: z.string().nullable(),
});

export const deliverySchema = deliveryFields.meta({
  id: 'Delivery',
  description: 'A change that is sent to a destination.',
});

export const attemptSchema = z
  .object({
    id: z.string(),
    number: z
      .int()
      .positive()
      .describe('The attempt number, counted from 1 across all rounds. The same as in `X-Service-Attempt`.'),
    outcome: openEnum(['succeeded', 'failed']),
    blame: openEnum(
      ['receiver', 'policy'],
      'What caused the failure: `receiver`, or `policy` if our policy does not allow the address. Null on success.',
    )
      .nullable()
      .meta(OR_NULL),
    status_code: z.int().nullable().describe('Null if no status line arrived.'),
    error: z.string().nullable().describe('Machine-readable error code. Null on success.'),
    reason: z.string().nullable().describe('The error as a human-readable sentence. Null on success.'),
    advice: z.string().nullable().describe('How to fix the error. Null on success.'),
    response_excerpt: z.string().nullable().describe('The beginning of the response body, at most 4 KiB.'),
    started_at: instantSchema,
    ended_at: instantSchema,
    duration_ms: z.int().nonnegative(),
  })
  .meta({ id: 'Attempt', description: 'One request to the destination.' });

export const deliveredChangeSchema = z
  .object({
    type: changeTypeSchema,
    severity: severitySchema,
    summary: z.string(),
    entity_type: entityTypeSchema,
    entity_name: z.string(),
    artist_id: z.string(),
    artist_name: z.string().describe("The artist's name at the time of confirmation."),
  })
  .meta({ id: 'DeliveredChange', description: 'The change that a delivery sends.' });

const sentRequestSchema = z
  .object({
    method: openEnum(['POST']),
    url: z.string().describe('The current URL of the destination.'),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe(
        'The headers of the latest attempt or, before the first attempt, the headers that it will have. Signatures and custom header values are hidden.',
      ),
    body: z.string().describe('The exact body that every attempt sends, in UTF-8.'),
  })
  .meta({ id: 'SentRequest', description: 'The request that the receiver gets.' });

export const deliveryDetailSchema = deliveryFields
  .extend({
    attempts: z.array(attemptSchema).describe('Oldest first.'),
    change: deliveredChangeSchema.nullable().describe('Null if the delivery is a test.'),
    request: sentRequestSchema
      .nullable()
      .describe("Null if the change has been deleted because no plan's history goes back that far."),
  })
  .meta({ id: 'DeliveryDetail' });

export const testedDeliverySchema = deliveryDetailSchema
  .extend({
    message: z.string().nullable().describe('Why the test failed or has no result yet. Null on success.'),
  })
  .meta({ id: 'TestedDelivery' });

const lastAttemptSchema = z
  .object({
    number: z.int().positive(),
    status_code: z.int().nullable().describe('Null if no status line arrived.'),
    error: z.string().nullable().describe('Null on success.'),
    ended_at: instantSchema,
  })
  .meta({ id: 'LastAttempt' });

const listedDeliverySchema = deliveryFields
  .extend({ last_attempt: lastAttemptSchema.nullable().describe('The latest attempt. Null if there is none yet.') })
  .meta({ id: 'ListedDelivery', description: 'A delivery with its latest attempt.' });

export const deliveryListSchema = listOf('DeliveryList', listedDeliverySchema, 'Newest first.');

export const recoveryPreviewSchema = z
  .object({
    dry_run: z.literal(true).describe('Nothing was sent.'),
    would_send: z
      .int()
      .nonnegative()
      .describe('Total number of deliveries that the recovery would send, across all its calls.'),
    recovered: z.int().nonnegative().describe('The same number as `would_send`. Use `would_send` instead.'),
    first: deliverySchema.nullable().describe('The oldest delivery that would be sent. Null if there is none.'),
    last: deliverySchema.nullable().describe('The newest delivery that would be sent. Null if there is none.'),
  })
  .meta({ id: 'RecoveryPreview' });

export const matchingRecoveryPreviewSchema = recoveryPreviewSchema
  .extend({
    left_out: z
      .int()
      .nonnegative()
      .describe('Number of matching deliveries that are not sent because their destinations are off or paused.'),
  })
  .meta({ id: 'MatchingRecoveryPreview' });

const ofFailures = {
  error: oneOf(ATTEMPT_ERRORS).optional().describe('Only deliveries whose newest failed attempt has this error.'),
  status_class: oneOf(STATUS_CLASSES)
    .optional()
    .describe(
      'Only deliveries whose newest failed attempt has a status in this class. ' +
        '`none` means that no status line arrived.',
    ),
  blame: oneOf(['receiver', 'policy'])
    .optional()
    .describe('Only deliveries whose newest failed attempt has this `blame`.'),
};

/** A delivery must match all filters. */
export const deliveryFilterSchema = z.object({
  destination: destinationIdSchema.optional().describe('Only deliveries to this destination.'),
  state: oneOf(DELIVERY_STATES).optional().describe('Only deliveries in this state.'),
  change: changeIdSchema.optional().describe('Only deliveries of this change.'),
  since: sinceSchema.optional().describe('Only deliveries created at this time or later.'),
  until: untilSchema.optional().meta({ description: 'Only deliveries created before this time.' }),
  trigger: oneOf(Object.keys(TRIGGERS) as readonly Trigger[])
    .optional()
    .describe('Only deliveries with this trigger.'),
  ...ofFailures,
});

/** Leaves out omitted filters, because cursors contain the filter. */
export function deliveryFilterFrom(given: Partial<z.output<typeof deliveryFilterSchema>>): DeliveryFilter {
  const { destination, change, status_class: statusClass, ...same } = given;
  const ids = { destinationId: destination as DestinationId | undefined, changeId: change as ChangeId | undefined };
  const filter = { ...ids, statusClass, ...same };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export const recoverMatchingSchema = z
  .strictObject({
    since: instantText('An RFC 3339 time with a time zone. Only deliveries created at this time or later.'),
    ...endOfRecovery,
    destination: destinationIdSchema.optional().describe('Only deliveries to this destination, which must be active.'),
    state: oneOf(['failed', 'skipped']).optional().describe('Only deliveries in this state. Default: both states.'),
    change: changeIdSchema.optional().describe('Only deliveries of this change.'),
    trigger: oneOf(['change', 'resend', 'recover']).optional().describe('Only deliveries with this trigger.'),
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

export interface ShownRecovered {
  readonly recovered: number;
  readonly remaining: number;
  readonly next: string | null;
}

export function presentRecovered({ recovered, remaining, next }: ShownRecovered): z.infer<typeof recoveredSchema> {
  return { recovered, remaining, next_cursor: next };
}

const presentListed = presenter(listedDeliverySchema);
const presentLastAttempt = presenter(lastAttemptSchema);

export function presentListedDelivery({
  lastAttempt,
  ...delivery
}: ShownDelivery & {
  readonly lastAttempt: Shown<z.infer<typeof lastAttemptSchema>> | null;
}): z.infer<typeof listedDeliverySchema> {
  return presentListed({ ...delivery, lastAttempt: lastAttempt && presentLastAttempt(lastAttempt) });
}

/** @param waitSeconds how long the request waited for the attempt */
export function presentTestedDelivery(
  delivery: Parameters<typeof presentDeliveryDetail>[0],
  waitSeconds: number,
): z.infer<typeof testedDeliverySchema> {
  const last = delivery.attempts.at(-1);
  const message = last
    ? last.reason
    : delivery.state === 'pending'
      ? `No result within ${waitSeconds} s. Check GET /v1/deliveries/${delivery.id} later.`
      : 'The test was not sent. See `skipped_reason`.';
  return { ...presentDeliveryDetail(delivery), message };
}

const presentChange = presenter(deliveredChangeSchema);
const attemptOf = presenter(attemptSchema);

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
