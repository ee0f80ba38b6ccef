import type { Platform } from '@artist-watch/domain/catalogue';
import { addressPattern } from '@artist-watch/domain/platform/platform-address';
import { PLATFORM_ID_PATTERNS } from '@artist-watch/domain/platform/platform-id';
import { OpenAPIRegistry, OpenApiGeneratorV31, type ResponseConfig } from '@asteasolutions/zod-to-openapi';
import type { HeaderObject, LinkObject, OpenAPIObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { API_ERROR_CODES, API_ERRORS, type ApiErrorCode, type ErrorBody, errorBodySchema } from '../api/errors.js';
import { ID_SCHEMAS } from '../api/fields.js';
import {
  ACCESS_OPERATIONS,
  ACCOUNT_OPERATIONS,
  EGRESS_OPERATIONS,
  FEED_OPERATIONS,
  GROUP_OPERATIONS,
  TOOL_OPERATIONS,
} from '../api/operations/account-operations.js';
import { ARTIST_OPERATIONS } from '../api/operations/artist-operations.js';
import { CHANGE_OPERATIONS } from '../api/operations/change-operations.js';
import { DELIVERY_OPERATIONS } from '../api/operations/delivery-operations.js';
import { DESTINATION_OPERATIONS } from '../api/operations/destination-operations.js';
import { ARTIST, CHANGE, CHANGE_DETAIL, DELIVERY } from '../api/operations/examples.js';
import {
  type AnswerLink,
  type ApiOperation,
  errorsOf,
  OPERATION_TAGS,
  type Success,
} from '../api/operations/operation.js';
import { type WebhookPayload, webhookPayloadSchema } from '../webhook-payload.js';

/**
 * Code generators repeat each response in every operation. With a separate response for each status, oapi-codegen wrote
 * 43,000 lines instead of 13,000.
 */
function registerErrorResponse(registry: OpenAPIRegistry): void {
  registry.registerComponent('responses', 'Error', {
    description: [
      'An error. Programs should use `error.code`, which has one of these values. New codes may be added.',
      ...API_ERROR_CODES.map((code) => `- ${withStatus(code)}: ${API_ERRORS[code].meaning}`),
    ].join('\n'),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(API_ERROR_CODES.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  });
}

const ERROR_RESPONSE: ReferenceObject = { $ref: '#/components/responses/Error' };

/** `400 invalid_input` */
function withStatus(code: ApiErrorCode): string {
  return `${API_ERRORS[code].status} \`${code}\``;
}

function exampleOf(code: ApiErrorCode): ErrorBody {
  const message = API_ERRORS[code].meaning.replaceAll('`', '');
  const param = PARAMS[code];
  return { error: { code, message, ...(param && { errors: [{ param, message }] }) } };
}

const PARAMS: Partial<Record<ApiErrorCode, string>> = {
  invalid_since: 'since',
  invalid_limit: 'limit',
  invalid_cursor: 'cursor',
  invalid_isrc: 'isrc',
};

const DESCRIPTION = `
Artist Watch watches music artists on a streaming platform and confirms changes to them. Read the changes with this API, or
receive them as signed webhooks.

Send an API key as a bearer token. Every error has the shape \`{"error": {"code", "message"}}\`, with \`errors: [{param, message}]\`
inside for invalid parameters. Fields, values, change types and error codes may be added at any time: ignore unknown ones.

Headers of every response:

- \`X-Request-Id\`: the \`X-Request-Id\` of the request if it matches \`^[A-Za-z0-9._-]{1,64}$\`, otherwise a new id.
- \`X-RateLimit-Limit\`: requests per hour, for all API keys of the account together. \`X-RateLimit-Remaining\`: requests left in the
  current hour. \`X-RateLimit-Reset\`: seconds until that hour ends. All three are absent from 408 and 431.
- \`ETag\` (GET): a strong validator. If you send it as \`If-None-Match\` and nothing has changed, the response is 304.
- \`Idempotency-Replayed: true\` (POST): this is the response to an earlier request with the same \`Idempotency-Key\`.
- \`Retry-After\` (429, 503): whole seconds to wait. \`Allow\` (405): the methods to use. \`WWW-Authenticate\` (401): RFC 6750.
`.trim();

const SERVERS = [
  {
    url: 'https://{host}/v1',
    description: 'Any installation of Artist Watch.',
    variables: {
      host: { default: 'localhost', description: 'The host of the API, followed by the port if it is not 443.' },
    },
  },
  { url: '/v1', description: 'The installation that serves this document.' },
];

/**
 * @param platform determines which URLs and ids are valid
 * @param isServed true for the copy under `/docs`, whose readers send requests to the installation that serves it
 */
export function openApiDocument(platform: Platform = 'deezer', isServed = false): OpenAPIObject {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, `aw_live_…`.',
  });
  registry.registerComponent('securitySchemes', 'feedToken', {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'A feed token, `aw_feed_…`.',
  });
  registerErrorResponse(registry);
  for (const operation of ALL_OPERATIONS) registerOperation(registry, operation);
  registerWebhook(registry);
  const document = new OpenApiGeneratorV31([...registry.definitions, { type: 'schema', schema: errorBodySchema }], {
    sortComponents: 'alphabetically',
  }).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Artist Watch',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: isServed ? SERVERS.toReversed() : SERVERS,
    security: [{ apiKey: [] }],
    tags: Object.entries(OPERATION_TAGS).map(([name, description]) => ({ name, description })),
  });
  addPlatformPatterns(document, platform);
  widenIntegers(document);
  return document;
}

const IDEMPOTENCY_HEADER = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .meta({
      description:
        'Makes a request safe to retry. For 24 hours, a retry with the same key is not executed again ' +
        'and gets the same response.',
      example: '5f1c0f0e-create-destination',
    }),
});

function registerOperation(registry: OpenAPIRegistry, operation: ApiOperation): void {
  const codes = errorsOf(operation, API_ERROR_CODES);
  const { id, method, path, tag, summary, description, of, query, body, answers } = operation;
  registry.registerPath({
    method: method.toLowerCase() as 'get',
    path,
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(operation.isPublic && { security: [] }),
    ...(operation.takesFeedToken && { security: [{ apiKey: [] }, { feedToken: [] }] }),
    request: {
      ...(of && { params: z.object({ id: ID_SCHEMAS[of] }) }),
      ...(query && { query: operation.takesFeedToken ? query.omit({ token: true }) : query }),
      ...(operation.idempotent && { headers: IDEMPOTENCY_HEADER }),
      ...(body && {
        body: {
          required: !body.optional,
          content: {
            'application/json': { schema: body.schema, example: body.example },
            ...(body.csvExample && { 'text/csv': { schema: z.string(), example: body.csvExample } }),
          },
        },
      }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, success]) => [status, toResponse(success, operation)]),
      ),
      ...(hasTag(operation) && { 304: NOT_MODIFIED }),
      '4XX': ERROR_RESPONSE,
      '5XX': ERROR_RESPONSE,
    },
    'x-error-codes': codes,
  });
}

function hasTag({ method, streamed = false }: ApiOperation): boolean {
  return method === 'GET' && !streamed;
}

const NOT_MODIFIED: ResponseConfig = { description: 'Nothing has changed since the response with this `ETag`.' };

/** All other headers are documented in DESCRIPTION, because code generators repeat each one in every operation. */
const HEADERS: Readonly<Record<'Link' | 'X-History-Since' | 'X-Next-Cursor' | 'Content-Disposition', HeaderObject>> = {
  Link: {
    description:
      'The URL of the next page (RFC 8288, `rel="next"`), absolute or relative to the request URL. Absent on the last page.',
    schema: { type: 'string' },
  },
  'X-History-Since': {
    description:
      "The start of the plan's history period. Present only if `since` is earlier, in which case this time is used " +
      'instead.',
    schema: { type: 'string', format: 'date-time' },
  },
  'X-Next-Cursor': {
    description:
      'The `after` value for the next request. Use it once the whole file has arrived. Present only if the request has `after`.',
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description: 'The name under which browsers save the file (RFC 6266).',
    required: true,
    schema: { type: 'string' },
  },
};

function toResponse(
  { description, schema, example, texts, links, headers = [] }: Success,
  operation: ApiOperation,
): ResponseConfig {
  const names = [...(operation.query?.shape.cursor ? (['Link'] as const) : []), ...headers];
  return {
    description,
    ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, HEADERS[name]])) }),
    ...(links && { links: Object.fromEntries(Object.entries(links).map(([name, link]) => [name, toLink(link)])) }),
    ...(schema && { content: { 'application/json': { schema, example } } }),
    ...(texts && {
      content: Object.fromEntries(
        Object.entries(texts).map(([type, text]) => [type, { schema: z.string(), example: text }]),
      ),
    }),
  };
}

function toLink({ parameters, ...link }: AnswerLink): LinkObject {
  const places = Object.entries(parameters).map(([name, pointer]) => [name, `$response.body#${pointer}`]);
  return { ...link, parameters: Object.fromEntries(places) };
}

function addPlatformPatterns({ components }: OpenAPIObject, platform: Platform): void {
  const schemas = (components?.schemas ?? {}) as Record<string, SchemaObject>;
  const setPattern = (schema: string, property: string, pattern: string) => {
    Object.assign(schemas[schema]?.properties?.[property] as SchemaObject, { pattern });
  };
  setPattern('WatchArtist', 'platform_id', `^${PLATFORM_ID_PATTERNS[platform]}$`);
  setPattern('WatchArtist', 'url', addressPattern(platform, 'artist'));
  setPattern('LookupRequest', 'input', addressPattern(platform, 'track'));
}

/** Some code generators use 32-bit integers or floats by default. */
function widenIntegers(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  const types = [schema.type].flat();
  if (types.includes('integer')) schema.format = 'int64';
  if (types.includes('number')) schema.format ??= 'double';
  for (const [name, child] of Object.entries(schema)) if (!name.startsWith('example')) widenIntegers(child);
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

/** The documentation lists the operations in this order. */
export const ALL_OPERATIONS: readonly ApiOperation[] = [
  CHANGE_OPERATIONS,
  FEED_OPERATIONS,
  ACCOUNT_OPERATIONS,
  ACCESS_OPERATIONS,
  ARTIST_OPERATIONS,
  GROUP_OPERATIONS,
  TOOL_OPERATIONS,
  DESTINATION_OPERATIONS,
  EGRESS_OPERATIONS,
  DELIVERY_OPERATIONS,
].flatMap((operations) => Object.values<ApiOperation>(operations).sort(byPathAndMethod));

function byPathAndMethod(a: ApiOperation, b: ApiOperation): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
}

const WEBHOOK_EXAMPLE: WebhookPayload = {
  event: 'change.confirmed',
  change_id: CHANGE.id,
  artist_id: ARTIST.id,
  artist: ARTIST.name,
  artist_platform_id: ARTIST.platform_id,
  entity_type: CHANGE.entity_type,
  entity_id: CHANGE.entity_id,
  entity_name: CHANGE.entity_name,
  severity: CHANGE.severity,
  change_type: CHANGE.type,
  summary: CHANGE.summary,
  detected_at: Date.parse(CHANGE.detected_at) / 1000,
  before: CHANGE_DETAIL.before,
  after: CHANGE_DETAIL.after,
  platform_url: CHANGE.platform_url,
  confirmed_at: Date.parse(CHANGE.confirmed_at) / 1000,
};

const WEBHOOK_DESCRIPTION = `
Sent to each destination with matching rules. Respond with any 2xx status within 10 seconds. Everything else is a failure:
we try again after 1 minute, 5 minutes, 30 minutes, 2 hours and 6 hours. After 20 failures in a row we switch the
destination off.

Verify the signature first: \`v1\` is the lower-case hexadecimal HMAC-SHA256 of \`<t>.<raw body>\` with the signing secret.
Compare in constant time, and reject a \`t\` that differs from your clock by 300 seconds or more.
`.trim();

/**
 * The schema allows unknown fields, because receivers must ignore them. It has no name, because oapi-codegen leaves out
 * named schemas that no path uses.
 */
const payloadSchema = z.object(webhookPayloadSchema.shape).meta({
  description:
    'A confirmed change. `detected_at` and `confirmed_at` are Unix times in seconds. ' +
    '`before` and `after` are omitted if they are long. ' +
    '`test` is true for tests and test changes, and absent otherwise.',
});

const headers = z.object({
  'X-Service-Event': z.literal('change.confirmed'),
  'X-Service-Signature': z
    .string()
    .optional()
    .meta({
      description: 'The signature of the request. Present only if the destination has a secret.',
      example: `t=1777636800,v1=${'0123456789abcdef'.repeat(4)}`,
    }),
  'X-Service-Delivery': z
    .string()
    .meta({ description: 'The id of the delivery, the same for every attempt.', example: DELIVERY.id }),
  'X-Service-Attempt': z.string().meta({ description: 'The number of the attempt, starting at 1.', example: '1' }),
  'webhook-id': z.string().optional().meta({
    description: 'The id of the change. This header and the next two are present only with `standard_webhooks`.',
    example: CHANGE.id,
  }),
  'webhook-timestamp': z
    .string()
    .optional()
    .meta({ description: 'The time of the attempt in Unix seconds.', example: '1777636800' }),
  'webhook-signature': z
    .string()
    .optional()
    .meta({
      description: 'The Standard Webhooks signature. Present only if the destination has a secret.',
      example: `v1,${'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFG'}=`,
    }),
});

/** See docs/api/webhooks.md. */
function registerWebhook(registry: OpenAPIRegistry): void {
  registry.registerWebhook({
    method: 'post',
    path: 'change.confirmed',
    operationId: 'changeConfirmed',
    tags: ['Changes'],
    summary: 'A change was confirmed',
    description: WEBHOOK_DESCRIPTION,
    security: [],
    request: {
      headers,
      body: { required: true, content: { 'application/json': { schema: payloadSchema, example: WEBHOOK_EXAMPLE } } },
    },
    responses: {
      '2XX': { description: 'The webhook was delivered. The body is ignored.' },
      '4XX': { description: 'The attempt failed, as with every status except 2xx.' },
    },
  });
}
