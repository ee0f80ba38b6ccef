import { z } from 'zod';
import { badResponse, quotaSpent, unavailable } from '../platform-error.js';
import type { HttpResponse } from './bounded-http.js';

export interface JsonResponse {
  readonly status: number;
  /** The body is undefined if an error response has no JSON. */
  readonly body: unknown;
}

const QUOTA_PAUSE_MS = 5_000;

/**
 * Spotify sometimes sends 0 (github.com/spotify/web-api/issues/542). A date can be in the past, because clocks differ.
 */
const MIN_QUOTA_PAUSE_MS = 1_000;

/** @throws PlatformError for 429, 5xx and redirects */
export function toJsonResponse(path: string, { status, headers, body: bytes }: HttpResponse, now: Date): JsonResponse {
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  if (status === 429) throw quotaSpent(`${path}: 429`, Math.max(MIN_QUOTA_PAUSE_MS, retryAfterMs ?? QUOTA_PAUSE_MS));
  if (status >= 500) throw unavailable(`${path}: ${status}`, retryAfterMs);
  if (status >= 300 && status < 400) throw badResponse(`${path}: redirected (${status})`);
  const body = parseJson(bytes.toString());
  if (body === undefined && status < 300) throw badResponse(`${path}: status ${status}, but the body is not JSON`);
  return { status, body };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws PlatformError `bad_answer` */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, what: string, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw badResponse(`${what}: ${firstIssue(parsed.error)}`);
  return parsed.data;
}

/** A single fault often breaks every item on a page, so only the first problem is described. */
function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues;
  if (!first) return 'unexpected format';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${first.path.map(String).join('.') || 'the response'}: ${first.message}${more}`;
}

/** Without a limit, an invalid date could stop polling for years. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Returns milliseconds from now. Undefined if the header is absent or invalid (RFC 9110, section 10.2.3). */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  // `Date.parse` reads 1.5 as a day in January 2001. No HTTP date starts with a digit or sign.
  const delayMs = /^[-+.\d]/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(0, delayMs), MAX_RETRY_AFTER_MS);
}

export const recordedResponseSchema = z.object({
  method: z.enum(['GET', 'POST']),
  path: z.string().startsWith('/'),
  /** The status is null if no complete response arrived. */
  status: z.number().int().min(200).max(599).nullable(),
  headers: z.record(z.string(), z.string()),
  /** The body is not parsed, so that malformed bodies are recorded unchanged. */
  body: z.string(),
});

export type RecordedResponse = z.output<typeof recordedResponseSchema>;

/** Cookies and trace headers are never recorded. */
const RECORDED_HEADERS = ['content-type', 'retry-after', 'date', 'age', 'cache-control'];

export function toRecordedResponse(
  { path, form }: { readonly path: string; readonly form?: unknown },
  response: HttpResponse | undefined,
): RecordedResponse {
  const method = form === undefined ? 'GET' : 'POST';
  if (response === undefined) return { method, path, status: null, headers: {}, body: '' };
  const headers = Object.fromEntries(
    RECORDED_HEADERS.flatMap((name) => {
      const value = response.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const text = response.body.toString();
  // Only token requests use POST. Their responses contain a token and may quote the request.
  const body = method === 'POST' ? withoutCredentials(text) : text;
  return { method, path, status: response.status, headers, body };
}

/** Keeps the fields defined in RFC 6749, sections 5.1 and 5.2, but removes the token. */
function withoutCredentials(text: string): string {
  try {
    const { access_token, token_type, expires_in, error } = JSON.parse(text);
    return JSON.stringify({ ...(access_token && { access_token: 'removed' }), token_type, expires_in, error });
  } catch {
    return '';
  }
}
