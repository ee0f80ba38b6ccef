import { z } from 'zod';
import { deliveryDetailSchema, deliveryFilterSchema, deliveryListSchema, deliverySchema } from '../delivery.js';
import { deliveryIdSchema } from '../identifiers.js';
import { cursorSchema, limitSchema } from '../paging.js';
import { ATTEMPT, DELIVERY, NEXT_CURSOR, PENDING_DELIVERY } from './examples.js';
import type { ApiOperation } from './operation.js';

const ofDeliveries = { tag: 'Deliveries', businessFeature: 'Deliveries' } as const;
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
      description: 'A page of deliveries.',
      schema: deliveryListSchema,
      example: { data: [DELIVERY], next_cursor: NEXT_CURSOR },
      headers: ['Link'],
    },
  ],
  errors: ['invalid_limit', 'invalid_cursor'],
} as const satisfies ApiOperation;

export const showDelivery = {
  ...ofOne,
  id: 'showDelivery',
  keptOnDowngrade: true,
  method: 'GET',
  path: '/deliveries/{id}',
  summary: 'Show a delivery with its attempts',
  successes: [
    {
      status: 200,
      description: 'The delivery.',
      schema: deliveryDetailSchema,
      example: { ...DELIVERY, attempts: [ATTEMPT] },
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
