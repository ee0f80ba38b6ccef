import { z } from 'zod';

/** No other file maps error codes to statuses (docs/api/requests.md). */
export const API_ERRORS = {
  invalid_json: { status: 400, meaning: 'The body is not valid JSON in UTF-8.' },
  invalid_input: { status: 400, meaning: 'The request or its body has an invalid, missing or unknown parameter.' },
  invalid_since: { status: 400, meaning: '`since` is not an RFC 3339 time with a time zone.' },
  invalid_cursor: {
    status: 400,
    meaning: '`cursor` belongs to another list or account, or was sent with different filters.',
  },
  invalid_limit: { status: 400, meaning: '`limit` is not a whole number from 1 to 200.' },
  invalid_isrc: { status: 400, meaning: '`isrc` is not an ISRC (ISO 3901).' },
  unsupported_url: { status: 400, meaning: 'The URL is not a link to a track or artist on the platform in use.' },
  unauthorized: { status: 401, meaning: 'The API key is missing, unknown, expired or revoked.' },
  insufficient_scope: {
    status: 403,
    meaning:
      'The API key lacks the scope for this request (RFC 6750): `manage` for writes, `read` for everything else.',
  },
  plan_required: { status: 403, meaning: 'The plan does not include this feature.' },
  plan_limit_reached: { status: 403, meaning: 'The account has reached a limit of its plan.' },
  not_found: { status: 404, meaning: 'The URL does not exist, or the account has no such resource.' },
  track_not_found: { status: 404, meaning: 'The track does not exist on Deezer or Spotify.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The URL does not support this method. `Allow` lists the methods to use.',
  },
  request_timeout: { status: 408, meaning: 'The complete request did not arrive in time.' },
  conflict: { status: 409, meaning: 'The current state of the resource does not allow this request.' },
  idempotency_conflict: {
    status: 409,
    meaning:
      'The Idempotency-Key was used with a different URL or body. ' +
      'If the response has `Retry-After`, the first request with this key is still running.',
  },
  payload_too_large: { status: 413, meaning: 'The body is larger than 16 KiB (128 KiB for a list of artists).' },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is not uncompressed `application/json`. A list of artists can also be `text/csv`.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'The account has reached its limit of requests per hour, or the destination its limit of tests or resends per minute. ' +
      '`Retry-After` says when to try again.',
  },
  daily_allowance_exceeded: {
    status: 429,
    meaning:
      'All tool calls or artist searches for this UTC day have been used. `Retry-After` is the time until 00:00 UTC.',
  },
  headers_too_large: { status: 431, meaning: 'The URL and the headers together are larger than 16 KiB.' },
  internal_error: { status: 500, meaning: 'The service failed. The error has been logged.' },
  upstream_error: { status: 502, meaning: 'Deezer or Spotify sent an unusable response.' },
  service_unavailable: {
    status: 503,
    meaning: 'The service cannot reach its database, or is busy with too many requests of this kind.',
  },
  upstream_unavailable: { status: 503, meaning: 'Deezer or Spotify is down, or is limiting our requests.' },
  upstream_timeout: { status: 504, meaning: 'Deezer or Spotify did not respond in time.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

export const API_ERROR_CODES = Object.keys(API_ERRORS) as readonly ApiErrorCode[];

const paramProblemSchema = z
  .object({
    param: z
      .string()
      .describe('The name of a query parameter, a header, or a field of the body such as `rules.artist_ids.0`.'),
    message: z.string().describe('Human-readable. The wording may change.'),
  })
  .meta({ id: 'ParamProblem', description: 'An invalid parameter.' });

export type ParamProblem = Readonly<z.infer<typeof paramProblemSchema>>;

/** See docs/api/requests.md. */
export const errorBodySchema = z
  .object({
    error: z
      .object({
        code: z
          .string()
          .describe(
            `Machine-readable. Known codes: ${API_ERROR_CODES.map((code) => `\`${code}\``).join(', ')}. New codes may be added, so accept unknown ones.`,
          )
          .meta({ example: 'invalid_input' }),
        message: z.string().describe('Human-readable. The wording may change.'),
        errors: z
          .array(paramProblemSchema)
          .optional()
          .describe('The invalid parameters, at most 20. Absent if no parameter is invalid.'),
      })
      .meta({ id: 'ErrorDetail' }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });

export interface ErrorBody {
  readonly error: {
    readonly code: ApiErrorCode;
    readonly message: string;
    readonly errors?: readonly ParamProblem[] | undefined;
  };
}

export function statusOf(code: ApiErrorCode): number {
  return API_ERRORS[code].status;
}

interface ApiErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly ParamProblem[];
  /** Appears only in the log. */
  readonly operatorText?: string;
  readonly cause?: unknown;
}

/** Thrown to end a request with an error response. The customer sees `message`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ParamProblem[];
  readonly operatorText: string | undefined;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    { headers = {}, errors = [], operatorText, cause }: ApiErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.headers = headers;
    this.errors = errors;
    this.operatorText = operatorText;
  }
}

const MAX_PROBLEMS = 20;
const MAX_PROBLEMS_IN_MESSAGE = 5;

/** Only the first five problems appear in the message. */
export function invalidParams(code: ApiErrorCode, problems: readonly ParamProblem[]): ApiError {
  const sentences = problems.slice(0, MAX_PROBLEMS_IN_MESSAGE).map(({ message }) => message);
  const left = problems.length - sentences.length;
  const message = [...sentences, ...(left > 0 ? [`And ${left} more.`] : [])].join(' ');
  return new ApiError(code, message, { errors: problems.slice(0, MAX_PROBLEMS) });
}

export function invalidParam(code: ApiErrorCode, param: string, message: string): ApiError {
  return new ApiError(code, message, { errors: [{ param, message }] });
}

const MAX_ISSUES = 5;
const MAX_KEY_CHARS = 64;

/**
 * Describes the problems without quoting values from the body, for example `severity must be one of …; type must be
 * snake_case`.
 * @param error from a parse with `reportInput`, which distinguishes missing fields from wrong types
 * @param whole the subject to use for problems that aren't about a single field, such as `the body`
 */
export function describeIssues(error: z.ZodError, whole: string): string {
  const texts = error.issues.slice(0, MAX_ISSUES).map((issue) => {
    return `${pathOf(issue) || whole} ${describeIssue(issue)}`;
  });
  const left = error.issues.length - texts.length;
  return left > 0 ? `${texts.join('; ')}; and ${left} more` : texts.join('; ');
}

export function paramProblems(error: z.ZodError): ParamProblem[] {
  return error.issues.flatMap((issue): ParamProblem[] => {
    const path = pathOf(issue);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const param = path === '' ? shortened(key) : `${path}.${shortened(key)}`;
        return { param, message: `${param} is an unknown field.` };
      });
    }
    return [{ param: path || 'body', message: `${path || 'The body'} ${describeIssue(issue)}.` }];
  });
}

function pathOf({ path }: z.core.$ZodIssue): string {
  return path.map(String).join('.');
}

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${WITH_ARTICLE[issue.expected] ?? issue.expected}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.slice(0, MAX_ISSUES).map(shortened).join(', ')}`;
    default:
      return issue.message;
  }
}

function shortened(key: string): string {
  return key.slice(0, MAX_KEY_CHARS);
}

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
};
