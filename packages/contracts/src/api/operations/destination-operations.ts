import { recoveryPreviewSchema, testedDeliverySchema } from '../delivery.js';
import {
  createdDestinationSchema,
  type DestinationItem,
  destinationListSchema,
  destinationSchema,
  previewRulesSchema,
  rotatedDestinationSchema,
  rulesPreviewSchema,
} from '../destination.js';
import {
  createDestinationSchema,
  recoverRequestSchema,
  rotateSecretSchema,
  testRequestSchema,
  updateDestinationSchema,
} from '../destination-input.js';
import { DELIVERY_DETAIL, DESTINATION, MISSED_DELIVERY, PREVIEWED_CHANGE, RECOVERED, SECRET } from './examples.js';
import { json, linksOf, operationsOf, page } from './operation.js';

const destinationFacts = { businessFeature: 'Destinations', forChannels: 'with_one' } as const;
const singleFacts = { ...destinationFacts, of: 'destination' } as const;

const SWITCHED_OFF: DestinationItem = {
  ...DESTINATION,
  state: 'off',
  switched_off_at: '2026-05-01T12:00:00.000Z',
  switched_off_reason: 'Switched off by request',
  switched_off: {
    code: 'disabled',
    at: '2026-05-01T12:00:00.000Z',
    consecutive_failures: 0,
    last_status: null,
    last_error: null,
  },
};

const shown = (example: DestinationItem = DESTINATION) => json('The destination.', destinationSchema, example);

export const DESTINATION_OPERATIONS = operationsOf('Destinations', {
  listDestinations: {
    ...destinationFacts,
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
    ...destinationFacts,
    forChannels: 'to_make',
    route: 'POST /destinations',
    summary: 'Create a destination',
    description:
      'From now on, matching changes are sent to the URL. The secret is shown only in this response. ' +
      'Webhooks require the Business plan. Slack and Discord require the Starter plan or higher.',
    idempotent: true,
    body: {
      schema: createDestinationSchema,
      example: { name: DESTINATION.name, url: DESTINATION.url, secret: 'generate', rules: { min_severity: 'warning' } },
    },
    answers: {
      201: json(
        'The destination with its secret.',
        createdDestinationSchema,
        { ...DESTINATION, secret: SECRET },
        { links: linksOf('destination', '') },
      ),
    },
    errors: ['plan_limit_reached'],
  },
  previewRules: {
    ...destinationFacts,
    route: 'POST /destinations/preview',
    readOnly: true,
    summary: 'Preview rules',
    description:
      'Shows which changes of the last 30 days match the rules, and which rules exclude the other changes. ' +
      'Nothing is created or sent.',
    body: { schema: previewRulesSchema, example: { rules: { min_severity: 'warning' } } },
    answers: {
      200: json('The matching and the excluded changes.', rulesPreviewSchema, {
        days: 30,
        matching: { count: 1, newest: [PREVIEWED_CHANGE] },
        others: { count: 0, by_rule: { min_severity: 0, change_types: 0, artist_ids: 0 }, newest: [] },
      }),
    },
  },
  showDestination: {
    ...singleFacts,
    route: 'GET /destinations/{id}',
    keptOnDowngrade: true,
    summary: 'Read a destination',
    answers: { 200: { ...shown(), links: linksOf('destination', '') } },
  },
  updateDestination: {
    ...singleFacts,
    route: 'PATCH /destinations/{id}',
    summary: 'Update a destination',
    description: 'Omitted fields stay unchanged. Pending deliveries go to the new URL.',
    body: { schema: updateDestinationSchema, example: { rules: { min_severity: 'critical' } } },
    answers: { 200: shown() },
    errors: ['conflict'],
  },
  deleteDestination: {
    ...singleFacts,
    route: 'DELETE /destinations/{id}',
    keptOnDowngrade: true,
    summary: 'Delete a destination',
    description: 'Nothing more is sent, and pending deliveries are skipped. You can still read past deliveries.',
    answers: { 204: { description: 'Destination deleted.' } },
  },
  enableDestination: {
    ...singleFacts,
    route: 'POST /destinations/{id}/enable',
    summary: 'Enable a destination',
    description: 'Resets the count of failures in a row to 0. Missed changes are not sent; use `recover` to send them.',
    idempotent: true,
    answers: { 200: shown() },
  },
  disableDestination: {
    ...singleFacts,
    route: 'POST /destinations/{id}/disable',
    summary: 'Disable a destination',
    description: 'Nothing more is sent, and pending deliveries are skipped.',
    idempotent: true,
    answers: { 200: shown(SWITCHED_OFF) },
  },
  testDestination: {
    ...singleFacts,
    route: 'POST /destinations/{id}/test',
    summary: 'Send a test',
    description:
      'Sends a sample change, even if the destination is off. ' +
      "There is one attempt, which does not count toward the destination's failures. " +
      'If the attempt ends within `wait_seconds`, the response contains it. ' +
      'Otherwise the delivery is pending, and `message` says so. You can send 10 tests per minute to each destination. ' +
      'Further requests get 429 `rate_limited` with `Retry-After`.',
    idempotent: true,
    body: { schema: testRequestSchema, example: { wait_seconds: 5, change_type: 'release_removed' }, optional: true },
    answers: {
      202: json('The delivery of the test with its attempt.', testedDeliverySchema, {
        ...DELIVERY_DETAIL,
        message: null,
        change_id: null,
        trigger: 'test',
        change: null,
      }),
    },
  },
  recoverDestination: {
    ...singleFacts,
    route: 'POST /destinations/{id}/recover',
    summary: 'Send missed deliveries',
    description:
      'Resends every skipped or failed delivery in a time range, with a full round of attempts. ' +
      'Each call sends at most 10,000 deliveries. Use `cursor` to continue. ' +
      'With `dry_run`, deliveries are counted but not sent, which also works if the destination is off.',
    idempotent: true,
    body: { schema: recoverRequestSchema, example: { since: '2026-05-01T00:00:00Z' } },
    answers: {
      200: json('With `dry_run`, the number of deliveries that would be sent.', recoveryPreviewSchema, {
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
    ...singleFacts,
    route: 'POST /destinations/{id}/rotate-secret',
    summary: 'Create the next secret',
    description:
      'This is the first step in changing a secret. ' +
      'Configure the receiver to accept both secrets, and then call activate-secret. ' +
      'Until then, webhooks are signed as before. ' +
      'You can use the same steps to start signing webhooks to an unsigned destination. ' +
      'If there is already a next secret, the response is 409 `conflict` unless you set `replace`, which discards it.',
    idempotent: true,
    body: { schema: rotateSecretSchema, example: { replace: false }, optional: true },
    answers: {
      200: json('The destination with its next secret.', rotatedDestinationSchema, {
        ...DESTINATION,
        next_secret_pending: true,
        next_secret: SECRET,
      }),
    },
    errors: ['conflict'],
  },
  activateSecret: {
    ...singleFacts,
    route: 'POST /destinations/{id}/activate-secret',
    summary: 'Sign with the next secret',
    idempotent: true,
    answers: { 200: shown() },
    errors: ['conflict'],
  },
});
