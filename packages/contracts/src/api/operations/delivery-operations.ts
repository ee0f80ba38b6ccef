import { z } from 'zod';
import {
  deliveryDetailSchema,
  deliveryFilterSchema,
  deliveryListSchema,
  deliverySchema,
  matchingRecoveryPreviewSchema,
  recoverMatchingSchema,
} from '../delivery.js';
import { recoveredSchema } from '../destination-input.js';
import { cursorSchema, deliveryIdSchema, limitSchema } from '../identifiers.js';
import { DELIVERY, DELIVERY_DETAIL, MISSED_DELIVERY, NEXT_CURSOR, PENDING_DELIVERY } from './examples.js';
import { linksOfDelivery } from './links.js';
import type { ApiOperation } from './operation.js';

const ofDeliveries = { tag: 'Deliveries', businessFeature: 'Deliveries', forChannels: 'with_one' } as const;
const ofOne = { ...ofDeliveries, pathParameters: z.object({ id: deliveryIdSchema }) } as const;

export const listDeliveries = {
  ...ofDeliveries,
  id: 'listDeliveries',
  keptOnDowngrade: true,
  method: 'GET',
  path: '/deliveries',
  summary: 'List deliveries',
  query: deliveryFilterSchema.extend({ limit: limitSchema.optional(), cursor: cursorSchema.optional() }),
  successes: [
    {
      status: 200,
      links: linksOfDelivery('/data/0'),
      description: 'A page of deliveries.',
      schema: deliveryListSchema,
      example: { data: [DELIVERY], next_cursor: NEXT_CURSOR },
      headers: ['Link'],
    },
  ],
  errors: ['invalid_since', 'invalid_limit', 'invalid_cursor'],
} as const satisfies ApiOperation;

export const showDelivery = {
  ...ofOne,
  id: 'showDelivery',
  keptOnDowngrade: true,
  method: 'GET',
  path: '/deliveries/{id}',
  summary: 'Show a delivery with its request and attempts',
  successes: [
    {
      status: 200,
      links: linksOfDelivery(''),
      description: 'The delivery.',
      schema: deliveryDetailSchema,
      example: DELIVERY_DETAIL,
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const resendDelivery = {
  ...ofOne,
  id: 'resendDelivery',
  method: 'POST',
  path: '/deliveries/{id}/resend',
  summary: 'Send a delivery once more',
  description:
    'Whatever became of it: one attempt, which does not count as a failure. At most 60 a minute for each destination: 429 ' +
    '`rate_limited` with `Retry-After` beyond that.',
  idempotent: true,
  successes: [
    { status: 202, description: 'The delivery, pending.', schema: deliverySchema, example: PENDING_DELIVERY },
  ],
  errors: ['conflict'],
} as const satisfies ApiOperation;

export const recoverDeliveries = {
  ...ofDeliveries,
  id: 'recoverDeliveries',
  method: 'POST',
  path: '/deliveries/recover',
  summary: 'Send what was missed and matches a filter',
  description:
    'Sends each skipped or failed delivery that matches once more, with a full round of attempts, whichever destination it ' +
    'is for. Destinations that are off get nothing. With `dry_run` it sends nothing and says what it would send.',
  idempotent: true,
  body: { schema: recoverMatchingSchema, example: { since: '2026-05-01T00:00:00Z', error: 'timed_out' } },
  successes: [
    {
      status: 200,
      description: 'With `dry_run`: what would be set going.',
      schema: matchingRecoveryPreviewSchema,
      example: { dry_run: true, recovered: 1, first: MISSED_DELIVERY, last: MISSED_DELIVERY, left_out: 0 },
    },
    {
      status: 202,
      description: 'How many deliveries were set going.',
      schema: recoveredSchema,
      example: { recovered: 3 },
    },
  ],
  errors: ['invalid_since', 'conflict'],
} as const satisfies ApiOperation;
