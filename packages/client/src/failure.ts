/** An answer of the API that is not a success. */
export class ArtistWatchError extends Error {
  override readonly name = 'ArtistWatchError';

  constructor(
    readonly status: number,
    /** For programs: `rate_limited`, `not_found` …; `unknown` when the answer did not come from the API itself. */
    readonly code: string,
    message: string,
    /** Of this request, for those who run the service. */
    readonly requestId: string | undefined,
    /** How long the API asks to wait; undefined when it does not. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/** @param text the body, whatever it is: what stands between us and the API may answer in its place. */
export function toError(response: Response, text: string): ArtistWatchError {
  const { code, message } = readBody(text);
  return new ArtistWatchError(
    response.status,
    code ?? 'unknown',
    message ?? `The API answered ${response.status}.`,
    response.headers.get('x-request-id') ?? undefined,
    retryAfterMsOf(response.headers.get('retry-after')),
  );
}

function readBody(text: string): { readonly code?: string; readonly message?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    return {
      ...(typeof error?.code === 'string' && { code: error.code }),
      ...(typeof error?.message === 'string' && { message: error.message }),
    };
  } catch {
    return {};
  }
}

/** Whole seconds, as the API writes it. */
function retryAfterMsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined;
}

export interface RetryRules {
  /** Requests after the first one; 3 unless given, 0 for none. */
  readonly maxRetries: number;
  /** A longer pause than this is not waited for, and the error thrown; a minute unless given. */
  readonly maxWaitMs: number;
}

const FIRST_PAUSE_MS = 250;

/**
 * How long to wait before a failed request is sent again; undefined when it should not be.
 *
 * @param isSafe whether doing it twice is the same as doing it once: the first one may have been done.
 * @param attempt 0 after the first request.
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
  // Refused before anything was done.
  if (status === 429 || code === 'idempotency_conflict') return failure.retryAfterMs;
  return isSafe && (status === 502 || status === 503 || status === 504) ? retryAfterMs : undefined;
}
