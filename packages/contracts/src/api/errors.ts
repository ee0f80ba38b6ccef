import { z } from 'zod';

/**
 * Every code that an answer can carry, the status that goes with it, and its meaning for the documentation
 * (docs/reference/api.md). The one place that ties codes to statuses.
 */
export const API_ERRORS = {
  invalid_json: { status: 400, meaning: 'The body is not JSON in UTF-8.' },
  invalid_input: { status: 400, meaning: 'The request, or a field of its body, is not what the operation takes.' },
  invalid_since: { status: 400, meaning: '`since` is not one RFC 3339 instant with a zone.' },
  invalid_cursor: {
    status: 400,
    meaning: '`cursor` is not one that this list gave to this account, or not for this `since`.',
  },
  invalid_limit: { status: 400, meaning: '`limit` is not one whole number from 1 to 200.' },
  invalid_isrc: { status: 400, meaning: '`isrc` is not an ISRC (ISO 3901).' },
  unsupported_url: { status: 400, meaning: 'The URL is not a link to a track (or artist) on the platform in use.' },
  unauthorized: { status: 401, meaning: 'The API key is missing, unknown or revoked.' },
  insufficient_scope: {
    status: 403,
    meaning:
      'The key lacks the scope that the request needs (RFC 6750): `manage` to change something, `read` for the rest.',
  },
  plan_required: { status: 403, meaning: 'The plan of the account has none of this.' },
  plan_limit_reached: { status: 403, meaning: 'The account has used up what its plan allows of this.' },
  not_found: { status: 404, meaning: 'There is no such address, or no such resource in this account.' },
  track_not_found: { status: 404, meaning: 'No such track exists on Deezer or Spotify.' },
  method_not_allowed: { status: 405, meaning: 'The address does not take this method; `Allow` lists those it takes.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive whole in time.' },
  conflict: { status: 409, meaning: 'The state of the resource does not allow this now.' },
  idempotency_conflict: {
    status: 409,
    meaning:
      'The Idempotency-Key was used for another request; with `Retry-After`, its first request has no answer yet.',
  },
  payload_too_large: { status: 413, meaning: 'The body is over 16 KiB; of a list of artists, over 128 KiB.' },
  unsupported_media_type: {
    status: 415,
    meaning:
      'The body is not sent as `application/json` (a list of artists: or `text/csv`) in UTF-8 without compression.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'The account is over its requests an hour, or a destination over its tests or resends a minute; `Retry-After` says ' +
      'when to go on.',
  },
  daily_allowance_exceeded: {
    status: 429,
    meaning: 'The tool calls, or searches of artists, of this UTC day are spent; `Retry-After` counts to 00:00 UTC.',
  },
  headers_too_large: { status: 431, meaning: 'The address and the headers together are over 16 KiB.' },
  internal_error: { status: 500, meaning: 'A fault of the service, which has been recorded.' },
  upstream_error: { status: 502, meaning: 'The streaming platform answered with something that cannot be used.' },
  service_unavailable: {
    status: 503,
    meaning: 'The service cannot reach its own data for the moment, or has too many requests of this kind in hand.',
  },
  upstream_unavailable: { status: 503, meaning: 'The streaming platform is away, or has had enough of our requests.' },
  upstream_timeout: { status: 504, meaning: 'The streaming platform did not answer in time.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

export const API_ERROR_CODES = Object.keys(API_ERRORS) as readonly ApiErrorCode[];

/** The body of every answer that is not a success (docs/reference/api.md). */
export const errorBodySchema = z
  .object({
    error: z.object({
      code: z
        .enum(API_ERROR_CODES as readonly [ApiErrorCode, ...ApiErrorCode[]])
        .describe('For programs; the list may grow.'),
      message: z.string().describe('For people; it may change.'),
    }),
  })
  .meta({ id: 'Error', description: 'The body of every answer that is not a success.' });

export type ErrorBody = z.infer<typeof errorBodySchema>;

export function statusOf(code: ApiErrorCode): number {
  return API_ERRORS[code].status;
}

interface ApiErrorOptions {
  /** Headers that go with the answer: `Retry-After`, `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What only the operator may read; it goes to the log. */
  readonly operatorText?: string;
  readonly cause?: unknown;
}

/** A request that is answered with an error: `message` is what the customer reads. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorText: string | undefined;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    { headers = {}, operatorText, cause }: ApiErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.headers = headers;
    this.operatorText = operatorText;
  }
}
