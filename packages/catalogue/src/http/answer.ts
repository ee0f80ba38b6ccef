import { z } from 'zod';
import { badAnswer, quotaSpent, unavailable } from '../platform-error.js';
import type { HttpAnswer } from './bounded-http.js';

/** What came back, before anyone asked what it means. 429 and 5xx never get this far. */
export interface JsonAnswer {
  readonly status: number;
  /** Parsed; undefined when the body of an answer other than 2xx is no JSON. */
  readonly body: unknown;
}

/** What a 429 without a Retry-After is waited for. */
const QUOTA_PAUSE_MS = 5_000;

/** Spotify sometimes sends 0 (github.com/spotify/web-api/issues/542), and clocks differ where it is a date. */
const MIN_QUOTA_PAUSE_MS = 1_000;

/** Sorts out what no platform means by an answer. @throws PlatformError */
export function toJsonAnswer(path: string, { status, headers, body: bytes }: HttpAnswer, now: Date): JsonAnswer {
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  if (status === 429) throw quotaSpent(`${path}: 429`, Math.max(MIN_QUOTA_PAUSE_MS, retryAfterMs ?? QUOTA_PAUSE_MS));
  if (status >= 500) throw unavailable(`${path}: ${status}`, retryAfterMs);
  if (status >= 300 && status < 400) throw badAnswer(`${path}: redirected (${status})`);
  const body = parseJson(bytes.toString());
  if (body === undefined && status < 300) throw badAnswer(`${path}: no JSON in a ${status}`);
  return { status, body };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer as its schema has it. @throws PlatformError `bad_answer` */
export function parseAnswer<Schema extends z.ZodType>(schema: Schema, what: string, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw badAnswer(`${what}: ${firstIssue(parsed.error)}`);
  return parsed.data;
}

/** What is wrong with an answer, in one line: a page of a hundred broken items is one problem. */
function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues;
  if (!first) return 'not of the expected shape';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${first.path.map(String).join('.') || 'the answer'}: ${first.message}${more}`;
}

/** No pause that a header asks for is longer than this: a garbled date must not stop the poller for years. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * The `Retry-After` header in milliseconds from now (RFC 9110 section 10.2.3: seconds, or an HTTP date); undefined when
 * it is absent or neither of them.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  // `Date.parse` takes 1.5 for a day in January 2001. No date of HTTP begins with a digit or a sign.
  const delayMs = /^[-+.\d]/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(0, delayMs), LONGEST_MS);
}

/** A request as it was sent, and what came back before anyone asked what it means. It holds no credential. */
export const platformAnswerSchema = z.object({
  method: z.enum(['GET', 'POST']),
  /** With its query. */
  path: z.string().startsWith('/'),
  /** Null where no whole answer came. */
  status: z.number().int().min(200).max(599).nullable(),
  headers: z.record(z.string(), z.string()),
  /** As it came, so that what is wrong with it stays so. */
  body: z.string(),
});

export type PlatformAnswer = z.output<typeof platformAnswerSchema>;

/** Those that decide how an answer is read, or say how old it is. Cookies and traces are left out. */
const KEPT_HEADERS = ['content-type', 'retry-after', 'date', 'age', 'cache-control'];

export function platformAnswer(
  { path, form }: { readonly path: string; readonly form?: unknown },
  answer: HttpAnswer | undefined,
): PlatformAnswer {
  const method = form === undefined ? 'GET' : 'POST';
  if (answer === undefined) return { method, path, status: null, headers: {}, body: '' };
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const text = answer.body.toString();
  // Only tokens are asked for by POST. Their answers hold one, and may repeat what was sent.
  const body = method === 'POST' ? withoutCredentials(text) : text;
  return { method, path, status: answer.status, headers, body };
}

/** The answer of RFC 6749 sections 5.1 and 5.2 without the token; nothing of any other. */
function withoutCredentials(text: string): string {
  try {
    const { access_token, token_type, expires_in, error } = JSON.parse(text);
    return JSON.stringify({ ...(access_token && { access_token: 'removed' }), token_type, expires_in, error });
  } catch {
    return '';
  }
}
