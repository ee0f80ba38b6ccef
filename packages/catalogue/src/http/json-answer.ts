import type { z } from 'zod';
import { badAnswer, quotaSpent, unavailable } from '../platform-error.js';

/** What came back, before anyone asked what it means. 429 and 5xx never get this far. */
export interface JsonAnswer {
  readonly status: number;
  /** Parsed; undefined when the body of an answer other than 2xx is no JSON. */
  readonly body: unknown;
}

/** What a 429 without a Retry-After is waited for. */
const QUOTA_PAUSE_MS = 5_000;

/** Sorts out what no platform means by an answer. Throws a PlatformError. */
export function toJsonAnswer(path: string, status: number, text: string, retryAfterMs: number | undefined): JsonAnswer {
  if (status === 429) throw quotaSpent(`${path}: 429`, retryAfterMs ?? QUOTA_PAUSE_MS);
  if (status >= 500) throw unavailable(`${path}: ${status}`, retryAfterMs);
  if (status >= 300 && status < 400) throw badAnswer(`${path}: redirected (${status})`);
  const body = parseJson(text);
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
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(0, delayMs), LONGEST_MS);
}
