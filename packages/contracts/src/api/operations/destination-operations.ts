import { deliveryDetailSchema, recoveryPreviewSchema } from '../delivery.js';
import {
  createdDestinationSchema,
  type DestinationItem,
  destinationListSchema,
  destinationSchema,
  rotatedDestinationSchema,
} from '../destination.js';
import {
  createDestinationSchema,
  recoverRequestSchema,
  rotateSecretSchema,
  testRequestSchema,
  updateDestinationSchema,
} from '../destination-input.js';
import { previewRulesSchema, rulesPreviewSchema } from '../rules-preview.js';
import { DELIVERY_DETAIL, DESTINATION, MISSED_DELIVERY, PREVIEWED_CHANGE, RECOVERED, SECRET } from './examples.js';
import { linksOf } from './links.js';
import { json, operationsOf, page } from './operation.js';

const ofDestinations = { businessFeature: 'Destinations', forChannels: 'with_one' } as const;
const ofOne = { ...ofDestinations, of: 'destination' } as const;

const SWITCHED_OFF: DestinationItem = {
  ...DESTINATION,
  state: 'off',
  switched_off_at: '2026-05-01T12:00:00.000Z',
  switched_off_reason: 'Switched off by request',
};

const shown = (example: DestinationItem = DESTINATION) => json('The destination.', destinationSchema, example);

export const DESTINATION_OPERATIONS = operationsOf('Destinations', {
  listDestinations: {
    ...ofDestinations,
    route: 'GET /destinations',
    keptOnDowngrade: true,
    summary: 'List destinations',
    answers: {
      200: page('All destinations.', destinationListSchema, [DESTINATION], {
        links: linksOf('destination', '/data/0'),
      }),
    },
  },
  createDestination: {
    ...ofDestinations,
    forChannels: 'to_make',
    route: 'POST /destinations',
    summary: 'Make a destination',
    description:
      'From now on, changes that the rules let through are posted to the address. The secret is shown in this answer only. ' +
      'Webhooks are part of the Business plan. Slack and Discord are part of every plan from Starter up.',
    idempotent: true,
    body: {
      schema: createDestinationSchema,
      example: { name: DESTINATION.name, url: DESTINATION.url, secret: 'generate', rules: { min_severity: 'warning' } },
    },
    answers: {
      201: json(
        'The destination, with its secret.',
        createdDestinationSchema,
        { ...DESTINATION, secret: SECRET },
        { links: linksOf('destination', '') },
      ),
    },
    errors: ['plan_limit_reached'],
  },
  previewRules: {
    ...ofDestinations,
    route: 'POST /destinations/preview',
    readOnly: true,
    summary: 'Preview what rules let through',
    description:
      'What a destination with these rules would have been sent of the last 30 days, and which rule would have kept back the ' +
      'others. Makes nothing and sends nothing.',
    body: { schema: previewRulesSchema, example: { rules: { min_severity: 'warning' } } },
    answers: {
      200: json('What the rules would have done.', rulesPreviewSchema, {
        days: 30,
        matching: { count: 1, newest: [PREVIEWED_CHANGE] },
        others: { count: 0, by_rule: { min_severity: 0, change_types: 0, artist_ids: 0 }, newest: [] },
      }),
    },
  },
  showDestination: {
    ...ofOne,
    route: 'GET /destinations/{id}',
    keptOnDowngrade: true,
    summary: 'Show a destination',
    answers: { 200: { ...shown(), links: linksOf('destination', '') } },
  },
  updateDestination: {
    ...ofOne,
    route: 'PATCH /destinations/{id}',
    summary: 'Change a destination',
    description: 'What is left out stays. Deliveries that wait for an attempt go to the new address.',
    body: { schema: updateDestinationSchema, example: { rules: { min_severity: 'critical' } } },
    answers: { 200: shown() },
  },
  deleteDestination: {
    ...ofOne,
    route: 'DELETE /destinations/{id}',
    keptOnDowngrade: true,
    summary: 'Delete a destination',
    description: 'Sending stops, and pending deliveries are skipped. Past deliveries stay readable.',
    answers: { 204: { description: 'Destination deleted.' } },
  },
  enableDestination: {
    ...ofOne,
    route: 'POST /destinations/{id}/enable',
    summary: 'Switch a destination on',
    description: 'Sets its run of failures to 0 and sends nothing. Use `recover` to send missed changes.',
    idempotent: true,
    answers: { 200: shown() },
  },
  disableDestination: {
    ...ofOne,
    route: 'POST /destinations/{id}/disable',
    summary: 'Switch a destination off',
    description: 'Nothing is sent any more, and what is pending is skipped.',
    idempotent: true,
    answers: { 200: shown(SWITCHED_OFF) },
  },
  testDestination: {
    ...ofOne,
    route: 'POST /destinations/{id}/test',
    summary: 'Send a test',
    description:
      'Sends a sample change, also to a destination that is off: one attempt, which does not count as a failure. The answer ' +
      'has the attempt if it settles within `wait_seconds`; if not, the delivery is still pending. At most 10 a minute for ' +
      'each destination: 429 `rate_limited` with `Retry-After` beyond that.',
    idempotent: true,
    body: { schema: testRequestSchema, example: { wait_seconds: 5, change_type: 'release_removed' }, optional: true },
    answers: {
      202: json('The delivery of the test, with its attempt.', deliveryDetailSchema, {
        ...DELIVERY_DETAIL,
        change_id: null,
        trigger: 'test',
        change: null,
      }),
    },
  },
  recoverDestination: {
    ...ofOne,
    route: 'POST /destinations/{id}/recover',
    summary: 'Send what was missed',
    description:
      'Sends each skipped or failed delivery of a range of time once more, with a full round of attempts: at most 10,000 per ' +
      'call, then continue with `cursor`. With `dry_run` it ' +
      'sends nothing and says what it would send, also for a destination that is off.',
    idempotent: true,
    body: { schema: recoverRequestSchema, example: { since: '2026-05-01T00:00:00Z' } },
    answers: {
      200: json('With `dry_run`: what would be set going.', recoveryPreviewSchema, {
        dry_run: true,
        would_send: 1,
        recovered: 1,
        first: MISSED_DELIVERY,
        last: MISSED_DELIVERY,
      }),
      202: RECOVERED,
    },
    errors: ['invalid_since', 'conflict'],
  },
  rotateSecret: {
    ...ofOne,
    route: 'POST /destinations/{id}/rotate-secret',
    summary: 'Make a next secret',
    description:
      'The first of two steps: let the receiver accept both secrets, then call activate-secret. Until then webhooks are ' +
      'signed as before. This also starts signing for an unsigned destination. While a next secret is pending, 409 `conflict` ' +
      'unless `replace` says to discard it.',
    idempotent: true,
    body: { schema: rotateSecretSchema, example: { replace: false }, optional: true },
    answers: {
      200: json('The destination, with its next secret.', rotatedDestinationSchema, {
        ...DESTINATION,
        next_secret_pending: true,
        next_secret: SECRET,
      }),
    },
    errors: ['conflict'],
  },
  activateSecret: {
    ...ofOne,
    route: 'POST /destinations/{id}/activate-secret',
    summary: 'Sign with the next secret',
    idempotent: true,
    answers: { 200: shown() },
    errors: ['conflict'],
  },
});
