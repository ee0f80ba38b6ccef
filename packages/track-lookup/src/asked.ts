import { PlatformError } from '@artist-watch/catalogue/platform-error';
import { ApiError } from '@artist-watch/contracts/api/errors';

/** How long a caller waits for the platform, retries and all. */
const DEADLINE_MS = 15_000;

const DEFAULT_RETRY_AFTER_MS = 5_000;

/**
 * Asks the platform for somebody who waits for the answer.
 *
 * @param name the platform's, as customers know it.
 * @throws ApiError `upstream_…` when the platform gives no usable answer in time.
 */
export async function asked<Result>(name: string, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await ask(signal);
  } catch (error) {
    if (error instanceof PlatformError) throw toApiError(name, error);
    if (signal.aborted) throw timedOut(name, error);
    throw error;
  }
}

/** docs/reference/api.md */
function toApiError(name: string, error: PlatformError): ApiError {
  const { failure } = error;
  switch (failure.kind) {
    case 'timeout':
      return timedOut(name, error);
    case 'quota':
    case 'unavailable': {
      const retryAfterSeconds = Math.ceil((failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) / 1000);
      return new ApiError('upstream_unavailable', `${name} cannot be asked at the moment. Try again later.`, {
        headers: { 'Retry-After': String(Math.max(1, retryAfterSeconds)) },
        operatorText: error.message,
      });
    }
    case 'not_found':
    case 'bad_answer':
      return new ApiError('upstream_error', `${name} gave an answer that cannot be used.`, {
        operatorText: error.message,
      });
  }
}

function timedOut(name: string, cause: unknown): ApiError {
  return new ApiError('upstream_timeout', `${name} did not answer in time.`, { operatorText: String(cause) });
}
