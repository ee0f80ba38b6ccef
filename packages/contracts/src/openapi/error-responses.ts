import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { HeaderObject, ReferenceObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { API_ERRORS, type ApiErrorCode, type ErrorBody, statusOf } from '../api/errors.js';

/** What an answer of the status carries besides the headers of all. */
const HEADERS_BY_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** What the parser refuses is answered before anybody is known (docs/reference/api.md). */
const WITHOUT_RATE = new Set([408, 431]);

export type ErrorResponses = ReturnType<typeof errorResponses>;

/**
 * The answers that are errors, one for each status, with every code that may come with it. Each distinct one is a
 * component of the document.
 */
export function errorResponses(registry: OpenAPIRegistry) {
  const registered = new Set<string>();
  const reference = (status: number, codes: readonly ApiErrorCode[]): ReferenceObject => {
    const name = `${status}-${codes.join('-')}`;
    if (!registered.has(name)) registry.registerComponent('responses', name, toResponse(status, codes));
    registered.add(name);
    return { $ref: `#/components/responses/${name}` };
  };
  return (codes: readonly ApiErrorCode[]): Record<string, ReferenceObject> => {
    const statuses = [...new Set(codes.map(statusOf))];
    const ofStatus = (status: number) => codes.filter((code) => statusOf(code) === status);
    return Object.fromEntries(statuses.map((status) => [String(status), reference(status, ofStatus(status))]));
  };
}

function toResponse(status: number, codes: readonly ApiErrorCode[]): ResponseObject {
  const always = WITHOUT_RATE.has(status) ? (['X-Request-Id'] as const) : HEADERS_OF_ALL;
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].meaning}`).join('\n\n'),
    headers: headerReferences([...always, ...(HEADERS_BY_STATUS[status] ?? [])]),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: {
                code: { type: 'string', enum: [...codes] },
                message: { type: 'string', description: 'For people; it may change.' },
              },
            },
          },
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { error: { code, message: plain(code) } } satisfies ErrorBody }]),
        ),
      },
    },
  };
}

/** The meaning without the marks of Markdown. */
function plain(code: ApiErrorCode): string {
  return API_ERRORS[code].meaning.replaceAll('`', '');
}

const TEXT: SchemaObject = { type: 'string' };

const header = (description: string, schema = TEXT, isAlways = true): HeaderObject => ({
  description,
  schema,
  ...(isAlways && { required: true }),
});

/** Headers of answers, as the documentation describes them. */
export const HEADERS = {
  'X-Request-Id': header("The caller's own `X-Request-Id` when it matches `^[A-Za-z0-9._-]{1,64}$`, else a new one."),
  'X-RateLimit-Limit': header('Requests an hour that the plan allows, over all keys of the account.', {
    type: 'integer',
  }),
  'X-RateLimit-Remaining': header('Requests that are left in the present hour, which began with its first request.', {
    type: 'integer',
  }),
  ETag: header('A strong validator for `If-None-Match`.'),
  Link: header('The next page (RFC 8288, `rel="next"`); absent on the last one.', TEXT, false),
  'X-History-Since': header(
    "The instant that was used in place of an older `since`; present only when the plan's history was over.",
    { type: 'string', format: 'date-time' },
    false,
  ),
  'X-Next-Cursor': header(
    'The `after` of the next request, once the whole file has arrived. Present only if the request has `after`.',
    TEXT,
    false,
  ),
  'Content-Disposition': header('The name under which a browser saves the file (RFC 6266).'),
  'Idempotency-Replayed': header(
    '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    { type: 'string', enum: ['true'] },
    false,
  ),
  'Retry-After': header('Whole seconds to wait.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('RFC 6750.'),
  Allow: header('The methods that the address takes.'),
};

export type HeaderName = keyof typeof HEADERS;

/** Of every answer to a request that could be read. */
export const HEADERS_OF_ALL = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const;

export function headerReferences(names: readonly HeaderName[]): Record<string, ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
