import type { HeaderObject, ReferenceObject } from 'openapi3-ts/oas31';

/** Headers of answers, as the documentation describes them. */
const headers = {
  'X-Request-Id': {
    description: "The caller's own `X-Request-Id` when it matches `^[A-Za-z0-9._-]{1,64}$`, else a new one.",
    schema: { type: 'string' },
    required: true,
  },
  'X-RateLimit-Limit': {
    description: 'Requests an hour that the plan allows, over all keys of the account.',
    schema: { type: 'integer' },
    required: true,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left in the present hour, which began with its first request.',
    schema: { type: 'integer' },
    required: true,
  },
  ETag: {
    description: 'A strong validator for `If-None-Match`.',
    schema: { type: 'string' },
    required: true,
  },
  Link: {
    description: 'The next page (RFC 8288, `rel="next"`); absent on the last one.',
    schema: { type: 'string' },
  },
  'X-History-Since': {
    description:
      "The instant that was used in place of an older `since`; present only when the plan's history was over.",
    schema: { type: 'string', format: 'date-time' },
  },
  'Content-Disposition': {
    description: 'The name under which a browser saves the file (RFC 6266).',
    schema: { type: 'string' },
    required: true,
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Whole seconds to wait.',
    schema: { type: 'integer', minimum: 1 },
    required: true,
  },
  'WWW-Authenticate': {
    description: 'RFC 6750.',
    schema: { type: 'string' },
    required: true,
  },
  Allow: {
    description: 'The methods that the address takes.',
    schema: { type: 'string' },
    required: true,
  },
} satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof headers;

export const HEADERS: Readonly<Record<HeaderName, HeaderObject>> = headers;

/** Of every answer to a request that could be read. */
export const HEADERS_OF_ALL = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const;

export function headerReferences(names: readonly HeaderName[]): Record<string, ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
