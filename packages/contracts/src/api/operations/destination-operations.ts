import { z } from 'zod';
import { deliveryDetailSchema, recoveryPreviewSchema } from '../delivery.js';
import {
  createdDestinationSchema,
  destinationListSchema,
  destinationSchema,
  rotatedDestinationSchema,
} from '../destination.js';
import {
  createDestinationSchema,
  recoveredSchema,
  recoverRequestSchema,
  rotateSecretSchema,
  testRequestSchema,
  updateDestinationSchema,
} from '../destination-input.js';
import { destinationIdSchema } from '../identifiers.js';
import { previewRulesSchema, rulesPreviewSchema } from '../rules-preview.js';
import { DELIVERY_DETAIL, DESTINATION, MISSED_DELIVERY, PREVIEWED_CHANGE, SECRET } from './examples.js';
import { linksOfDestination } from './links.js';
import type { ApiOperation } from './operation.js';

const ofDestinations = { tag: 'Destinations', businessFeature: 'Destinations', forChannels: 'with_one' } as const;
const ofOne = { ...ofDestinations, pathParameters: z.object({ id: destinationIdSchema }) } as const;

const shown = { description: 'The destination.', schema: destinationSchema, example: DESTINATION } as const;

export const listDestinations = {
  ...ofDestinations,
  id: 'listDestinations',
  keptOnDowngrade: true,
  method: 'GET',
  path: '/destinations',
  summary: 'List destinations',
  successes: [
    {
      status: 200,
      links: linksOfDestination('/data/0'),
      description: 'All destinations.',
      schema: destinationListSchema,
      example: { data: [DESTINATION], next_cursor: null },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const createDestination = {
  ...ofDestinations,
  forChannels: 'to_make',
  id: 'createDestination',
  method: 'POST',
  path: '/destinations',
  summary: 'Make a destination',
  description:
    'From now on, changes that the rules let through are posted to the address. The secret is shown in this answer only. ' +
    'Webhooks are part of the Business plan, Slack and Discord of every plan from Starter on.',
  idempotent: true,
  body: {
    schema: createDestinationSchema,
    example: { name: DESTINATION.name, url: DESTINATION.url, secret: 'generate', rules: { min_severity: 'warning' } },
  },
  successes: [
    {
      status: 201,
      links: linksOfDestination(''),
      description: 'The destination, with its secret.',
      schema: createdDestinationSchema,
      example: { ...DESTINATION, secret: SECRET },
    },
  ],
  errors: ['plan_limit_reached'],
} as const satisfies ApiOperation;

export const previewRules = {
  ...ofDestinations,
  id: 'previewRules',
  method: 'POST',
  path: '/destinations/preview',
  readOnly: true,
  summary: 'Preview what rules let through',
  description:
    'What a destination with these rules would have been sent of the last 30 days, and which rule would have kept back the ' +
    'others. Makes nothing and sends nothing.',
  body: { schema: previewRulesSchema, example: { rules: { min_severity: 'warning' } } },
  successes: [
    {
      status: 200,
      description: 'What the rules would have done.',
      schema: rulesPreviewSchema,
      example: {
        days: 30,
        matching: { count: 1, newest: [{ ...PREVIEWED_CHANGE, kept_back_by: [] }] },
        others: { count: 0, by_rule: { min_severity: 0, change_types: 0, artist_ids: 0 }, newest: [] },
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const showDestination = {
  ...ofOne,
  id: 'showDestination',
  keptOnDowngrade: true,
  method: 'GET',
  path: '/destinations/{id}',
  summary: 'Show a destination',
  successes: [{ status: 200, links: linksOfDestination(''), ...shown }],
  errors: [],
} as const satisfies ApiOperation;

export const updateDestination = {
  ...ofOne,
  id: 'updateDestination',
  method: 'PATCH',
  path: '/destinations/{id}',
  summary: 'Change a destination',
  description: 'What is left out stays. Deliveries that wait for an attempt go to the new address.',
  body: { schema: updateDestinationSchema, example: { rules: { min_severity: 'critical' } } },
  successes: [{ status: 200, ...shown }],
  errors: [],
} as const satisfies ApiOperation;

export const deleteDestination = {
  ...ofOne,
  id: 'deleteDestination',
  keptOnDowngrade: true,
  method: 'DELETE',
  path: '/destinations/{id}',
  summary: 'Delete a destination',
  description: 'Nothing is sent to it any more, and what is pending is skipped. Its deliveries can still be read.',
  successes: [{ status: 204, description: 'The destination is deleted.' }],
  errors: [],
} as const satisfies ApiOperation;

export const enableDestination = {
  ...ofOne,
  id: 'enableDestination',
  method: 'POST',
  path: '/destinations/{id}/enable',
  summary: 'Switch a destination on',
  description: 'Sets its run of failures to 0. Nothing is sent by itself: `recover` sends what was missed.',
  idempotent: true,
  successes: [{ status: 200, ...shown }],
  errors: [],
} as const satisfies ApiOperation;

export const disableDestination = {
  ...ofOne,
  id: 'disableDestination',
  method: 'POST',
  path: '/destinations/{id}/disable',
  summary: 'Switch a destination off',
  description: 'Nothing is sent any more, and what is pending is skipped.',
  idempotent: true,
  successes: [
    {
      status: 200,
      ...shown,
      example: {
        ...DESTINATION,
        state: 'off',
        switched_off_at: '2026-05-01T12:00:00.000Z',
        switched_off_reason: 'Switched off by request',
      },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const testDestination = {
  ...ofOne,
  id: 'testDestination',
  method: 'POST',
  path: '/destinations/{id}/test',
  summary: 'Send a test',
  description:
    'Sends a sample change, also to a destination that is off: one attempt, which does not count as a failure. The answer ' +
    'has the attempt if it settles within `wait_seconds`; if not, the delivery is still pending. At most 10 a minute for ' +
    'each destination: 429 `rate_limited` with `Retry-After` beyond that.',
  idempotent: true,
  body: { schema: testRequestSchema, example: { wait_seconds: 5, change_type: 'release_removed' }, optional: true },
  successes: [
    {
      status: 202,
      description: 'The delivery of the test, with its attempt.',
      schema: deliveryDetailSchema,
      example: { ...DELIVERY_DETAIL, change_id: null, trigger: 'test', change: null },
    },
  ],
  errors: [],
} as const satisfies ApiOperation;

export const recoverDestination = {
  ...ofOne,
  id: 'recoverDestination',
  method: 'POST',
  path: '/destinations/{id}/recover',
  summary: 'Send what was missed',
  description:
    'Sends each skipped or failed delivery of a range of time once more, with a full round of attempts. With `dry_run` it ' +
    'sends nothing and says what it would send, also for a destination that is off.',
  idempotent: true,
  body: { schema: recoverRequestSchema, example: { since: '2026-05-01T00:00:00Z' } },
  successes: [
    {
      status: 200,
      description: 'With `dry_run`: what would be set going.',
      schema: recoveryPreviewSchema,
      example: { dry_run: true, recovered: 1, first: MISSED_DELIVERY, last: MISSED_DELIVERY },
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

export const rotateSecret = {
  ...ofOne,
  id: 'rotateSecret',
  method: 'POST',
  path: '/destinations/{id}/rotate-secret',
  summary: 'Make a next secret',
  description:
    'The first of two steps: let the receiver accept both secrets, then call activate-secret. Until then webhooks are ' +
    'signed as before. This is also how an unsigned destination comes to sign. While a next secret is pending, 409 `conflict` ' +
    'unless `replace` says to discard it.',
  idempotent: true,
  body: { schema: rotateSecretSchema, example: { replace: false }, optional: true },
  successes: [
    {
      status: 200,
      description: 'The destination, with its next secret.',
      schema: rotatedDestinationSchema,
      example: { ...DESTINATION, next_secret_pending: true, next_secret: SECRET },
    },
  ],
  errors: ['conflict'],
} as const satisfies ApiOperation;

export const activateSecret = {
  ...ofOne,
  id: 'activateSecret',
  method: 'POST',
  path: '/destinations/{id}/activate-secret',
  summary: 'Sign with the next secret',
  idempotent: true,
  successes: [{ status: 200, ...shown }],
  errors: ['conflict'],
} as const satisfies ApiOperation;
