import type { ErrorDetail, ParamProblem } from './generated/api.js';

/** An API error response. */
export class ArtistWatchError extends Error {
  override readonly name = 'ArtistWatchError';

  constructor(
    readonly status: number,
    /** For example `rate_limited`. The code is `unknown` if the response is not from the API. */
    readonly code: string,
    message: string,
    /** Include this id when you contact support. */
    readonly requestId: string | undefined,
    /** Set if the API requires a delay before the next attempt. */
    readonly retryAfterMs: number | undefined,
    readonly errors: readonly ParamProblem[] = [],
  ) {
    super(message);
  }
}

/** @param text any format, because a proxy may respond instead of the API */
export function toError(response: Response, text: string): ArtistWatchError {
  const { code, message, errors } = readBody(text);
  return new ArtistWatchError(
    response.status,
    code ?? 'unknown',
    message ?? `The API responded with ${response.status}.`,
    response.headers.get('x-request-id') ?? undefined,
    retryAfterMsOf(response.headers.get('retry-after')),
    errors,
  );
}

function readBody(text: string): Partial<ErrorDetail> {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; errors?: unknown } };
    return {
      ...(typeof error?.code === 'string' && { code: error.code }),
      ...(typeof error?.message === 'string' && { message: error.message }),
      ...(Array.isArray(error?.errors) && { errors: error.errors }),
    };
  } catch {
    return {};
  }
}

function retryAfterMsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined;
}

export interface RetryRules {
  /** Maximum number of retries after the first request. Default: 3. */
  readonly maxRetries: number;
  /** If the API requires a longer wait than this, the error is thrown immediately. Default: 1 minute. */
  readonly maxWaitMs: number;
}

const FIRST_PAUSE_MS = 250;

/**
 * Returns undefined if the request must not be retried.
 * @param isSafe true if repeating a processed request has no further effect
 * @param attempt the number of retries so far
 */
export function pauseBeforeRetry(
  failure: unknown,
  { isSafe, attempt, rules }: { readonly isSafe: boolean; readonly attempt: number; readonly rules: RetryRules },
): number | undefined {
  if (attempt >= rules.maxRetries) return undefined;
  const pauseMs = pauseFor(failure, isSafe);
  if (pauseMs === undefined) return undefined;
  const waitMs = Math.max(pauseMs, FIRST_PAUSE_MS * 2 ** attempt);
  return waitMs <= rules.maxWaitMs ? waitMs : undefined;
}

function pauseFor(failure: unknown, isSafe: boolean): number | undefined {
  if (!(failure instanceof ArtistWatchError)) return isSafe ? 0 : undefined;
  const { status, code, retryAfterMs = 0 } = failure;
  // In these cases, the API rejected the request before processing it.
  if (status === 429 || code === 'idempotency_conflict') return failure.retryAfterMs;
  return isSafe && (status === 502 || status === 503 || status === 504) ? retryAfterMs : undefined;
}
