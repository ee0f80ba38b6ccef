import {
  deliveryDetailSchema,
  deliveryFilterSchema,
  deliveryListSchema,
  deliverySchema,
  matchingRecoveryPreviewSchema,
  recoverMatchingSchema,
} from '../delivery.js';
import { pageParameters } from '../fields.js';
import {
  DELIVERY_DETAIL,
  LISTED_DELIVERY,
  MISSED_DELIVERY,
  NEXT_CURSOR,
  PENDING_DELIVERY,
  RECOVERED,
} from './examples.js';
import { json, linksOf, operationsOf, page } from './operation.js';

const deliveryFacts = { businessFeature: 'Destinations', forChannels: 'with_one' } as const;
const singleFacts = { ...deliveryFacts, of: 'delivery' } as const;

export const DELIVERY_OPERATIONS = operationsOf('Deliveries', {
  listDeliveries: {
    ...deliveryFacts,
    route: 'GET /deliveries',
    keptOnDowngrade: true,
    summary: 'List deliveries',
    query: deliveryFilterSchema.extend(pageParameters),
    answers: {
      200: page('A page of deliveries.', deliveryListSchema, [LISTED_DELIVERY], {
        next: NEXT_CURSOR,
        links: linksOf('delivery', '/data/0'),
      }),
    },
  },
  showDelivery: {
    ...singleFacts,
    route: 'GET /deliveries/{id}',
    keptOnDowngrade: true,
    summary: 'Read a delivery with its request and attempts',
    answers: { 200: json('The delivery.', deliveryDetailSchema, DELIVERY_DETAIL, { links: linksOf('delivery', '') }) },
  },
  resendDelivery: {
    ...singleFacts,
    route: 'POST /deliveries/{id}/resend',
    summary: 'Resend a delivery',
    description:
      'Makes one attempt, regardless of the state of the delivery. ' +
      "The attempt does not count toward the destination's failures. " +
      'You can resend 60 deliveries per minute to each destination. ' +
      'Further requests get 429 `rate_limited` with `Retry-After`.',
    idempotent: true,
    answers: { 202: json('The delivery, which is now pending.', deliverySchema, PENDING_DELIVERY) },
    errors: ['conflict'],
  },
  recoverDeliveries: {
    ...deliveryFacts,
    route: 'POST /deliveries/recover',
    summary: 'Send missed deliveries that match a filter',
    description:
      'Resends every matching skipped or failed delivery to any destination, with a full round of attempts. ' +
      'Each call sends at most 10,000 deliveries. Use `cursor` to continue. ' +
      'Nothing is sent to destinations that are off. With `dry_run`, deliveries are counted but not sent.',
    idempotent: true,
    body: { schema: recoverMatchingSchema, example: { since: '2026-05-01T00:00:00Z', error: 'timed_out' } },
    answers: {
      200: json('With `dry_run`, the number of deliveries that would be sent.', matchingRecoveryPreviewSchema, {
        dry_run: true,
        would_send: 1,
        recovered: 1,
        first: MISSED_DELIVERY,
        last: MISSED_DELIVERY,
        left_out: 0,
      }),
      202: RECOVERED,
    },
    errors: ['invalid_since', 'conflict'],
  },
});
