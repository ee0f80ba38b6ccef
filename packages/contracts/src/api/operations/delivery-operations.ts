import {
  deliveryDetailSchema,
  deliveryFilterSchema,
  deliveryListSchema,
  deliverySchema,
  matchingRecoveryPreviewSchema,
  recoverMatchingSchema,
} from '../delivery.js';
import { pageParameters } from '../identifiers.js';
import { DELIVERY, DELIVERY_DETAIL, MISSED_DELIVERY, NEXT_CURSOR, PENDING_DELIVERY, RECOVERED } from './examples.js';
import { linksOf } from './links.js';
import { json, operationsOf, page } from './operation.js';

const ofDeliveries = { businessFeature: 'Destinations', forChannels: 'with_one' } as const;
const ofOne = { ...ofDeliveries, of: 'delivery' } as const;

export const DELIVERY_OPERATIONS = operationsOf('Deliveries', {
  listDeliveries: {
    ...ofDeliveries,
    route: 'GET /deliveries',
    keptOnDowngrade: true,
    summary: 'List deliveries',
    query: deliveryFilterSchema.extend(pageParameters),
    answers: {
      200: page('A page of deliveries.', deliveryListSchema, [DELIVERY], {
        next: NEXT_CURSOR,
        links: linksOf('delivery', '/data/0'),
      }),
    },
  },
  showDelivery: {
    ...ofOne,
    route: 'GET /deliveries/{id}',
    keptOnDowngrade: true,
    summary: 'Show a delivery with its request and attempts',
    answers: { 200: json('The delivery.', deliveryDetailSchema, DELIVERY_DETAIL, { links: linksOf('delivery', '') }) },
  },
  resendDelivery: {
    ...ofOne,
    route: 'POST /deliveries/{id}/resend',
    summary: 'Send a delivery once more',
    description:
      'Whatever became of it: one attempt, which does not count as a failure. At most 60 a minute for each destination: 429 ' +
      '`rate_limited` with `Retry-After` beyond that.',
    idempotent: true,
    answers: { 202: json('The delivery, pending.', deliverySchema, PENDING_DELIVERY) },
    errors: ['conflict'],
  },
  recoverDeliveries: {
    ...ofDeliveries,
    route: 'POST /deliveries/recover',
    summary: 'Send what was missed and matches a filter',
    description:
      'Sends each skipped or failed delivery that matches once more, with a full round of attempts, whichever destination it ' +
      'is for: at most 10,000 per call, then continue with `cursor`. Destinations that are off get nothing. With `dry_run` it sends nothing and says what it would send.',
    idempotent: true,
    body: { schema: recoverMatchingSchema, example: { since: '2026-05-01T00:00:00Z', error: 'timed_out' } },
    answers: {
      200: json('With `dry_run`: what would be set going.', matchingRecoveryPreviewSchema, {
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
