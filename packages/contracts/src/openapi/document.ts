import type { Platform } from '@artist-watch/domain/catalogue';
import { addressPattern } from '@artist-watch/domain/platform/platform-address';
import { PLATFORM_ID_PATTERNS } from '@artist-watch/domain/platform/platform-id';
import { OpenAPIRegistry, OpenApiGeneratorV31, type ResponseConfig } from '@asteasolutions/zod-to-openapi';
import type { LinkObject, OpenAPIObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { API_ERROR_CODES } from '../api/errors.js';
import { ID_SCHEMAS } from '../api/identifiers.js';
import { ALL_OPERATIONS } from '../api/operations/all-operations.js';
import {
  type AnswerLink,
  type ApiOperation,
  errorsOf,
  OPERATION_TAGS,
  type Success,
} from '../api/operations/operation.js';
import { type ErrorResponses, errorResponses, HEADERS, HEADERS_OF_ALL, headerReferences } from './error-responses.js';
import { registerWebhook } from './webhook.js';

const DESCRIPTION = `
Artist Watch watches music artists on a streaming platform and confirms what changed. Read it here, or have it posted to
your own address as signed webhooks.

Every request carries an API key as a bearer token. Every answer carries \`X-RateLimit-Limit\` and
\`X-RateLimit-Remaining\`; every error has the shape \`{"error": {"code", "message"}}\`. Fields, change types and error
codes may be added at any time: pass over what you do not know.
`.trim();

/**
 * The whole documentation, made of the schemas that the API itself works with.
 *
 * @param platform the one in use, whose addresses the tools and watches take.
 */
export function openApiDocument(platform: Platform = 'deezer'): OpenAPIObject {
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
    description: 'The token of a feed, `aw_feed_…`.',
  });
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent('headers', name, header);
  const errors = errorResponses(registry);
  for (const operation of ALL_OPERATIONS) registerOperation(registry, operation, errors);
  registerWebhook(registry);
  const document = new OpenApiGeneratorV31(registry.definitions, { sortComponents: 'alphabetically' }).generateDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Artist Watch',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/v1', description: 'This installation.' }],
      security: [{ apiKey: [] }],
      tags: Object.entries(OPERATION_TAGS).map(([name, description]) => ({ name, description })),
    },
  );
  addPlatformPatterns(document, platform);
  return document;
}

/** Headers that requests may carry. */
const REQUEST_HEADERS = {
  'X-Request-Id': z
    .string()
    .optional()
    .meta({
      description:
        'Returned in the response and written to our logs, if it matches `^[A-Za-z0-9._-]{1,64}$`. Otherwise the request ' +
        'gets a new id.',
      example: 'req-42',
    }),
  'If-None-Match': z
    .string()
    .optional()
    .meta({ description: '`ETag` of an earlier answer: 304 when nothing changed.' }),
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .meta({
      description: 'The same key with the same request has the same answer for 24 hours, and is done once.',
      example: '5f1c0f0e-make-destination',
    }),
};

function registerOperation(registry: OpenAPIRegistry, operation: ApiOperation, errors: ErrorResponses): void {
  const { id, method, path, tag, summary, description, of, query, body, answers } = operation;
  registry.registerPath({
    method: method.toLowerCase() as 'get',
    path,
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(operation.takesFeedToken && { security: [{ apiKey: [] }, { feedToken: [] }] }),
    request: {
      ...(of && { params: z.object({ id: ID_SCHEMAS[of] }) }),
      ...(query && { query: operation.takesFeedToken ? query.omit({ token: true }) : query }),
      headers: headersOf(operation),
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
      ...errors(errorsOf(operation, API_ERROR_CODES)),
    },
  });
}

function headersOf(operation: ApiOperation): z.ZodObject {
  const { 'If-None-Match': heldTag, 'Idempotency-Key': key, ...ofAll } = REQUEST_HEADERS;
  return z.object({
    ...ofAll,
    ...(hasTag(operation) && { 'If-None-Match': heldTag }),
    ...(operation.idempotent && { 'Idempotency-Key': key }),
  });
}

function hasTag({ method, streamed = false }: ApiOperation): boolean {
  return method === 'GET' && !streamed;
}

const NOT_MODIFIED: ResponseConfig = {
  description: 'Nothing changed since the answer whose `ETag` was sent.',
  headers: headerReferences([...HEADERS_OF_ALL, 'ETag']),
};

function toResponse(
  { description, schema, example, texts, links, headers = [] }: Success,
  operation: ApiOperation,
): ResponseConfig | ReferenceObject {
  return {
    description,
    headers: headerReferences([
      ...HEADERS_OF_ALL,
      ...(hasTag(operation) ? (['ETag'] as const) : []),
      ...(operation.idempotent ? (['Idempotency-Replayed'] as const) : []),
      ...(operation.query?.shape.cursor ? (['Link'] as const) : []),
      ...headers,
    ]),
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

/** What only the platform in use takes: an installation that watches another one shows other patterns. */
export function addPlatformPatterns({ components }: OpenAPIObject, platform: Platform): void {
  const schemas = (components?.schemas ?? {}) as Record<string, SchemaObject>;
  const setPattern = (schema: string, property: string, pattern: string) => {
    Object.assign(schemas[schema]?.properties?.[property] as SchemaObject, { pattern });
  };
  setPattern('WatchArtist', 'platform_id', `^${PLATFORM_ID_PATTERNS[platform]}$`);
  setPattern('WatchArtist', 'url', addressPattern(platform, 'artist'));
  setPattern('LookupRequest', 'input', addressPattern(platform, 'track'));
}
