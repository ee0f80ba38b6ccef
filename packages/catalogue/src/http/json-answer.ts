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
