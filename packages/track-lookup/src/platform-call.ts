import { PlatformError } from '@artist-watch/catalogue/platform-error';
import { ApiError } from '@artist-watch/contracts/api/errors';

/** Includes retries. */
const DEADLINE_MS = 15_000;

const DEFAULT_RETRY_AFTER_MS = 5_000;

/**
 * Runs a platform call for which a client is waiting.
 * @param name the platform's name, for error messages
 * @throws ApiError `upstream_…` if the platform returns no usable response in time
 */
export async function callPlatform<Result>(
  name: string,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await call(signal);
  } catch (error) {
    if (error instanceof PlatformError) throw toApiError(name, error);
    if (signal.aborted) throw timedOut(name, error);
    throw error;
  }
}

/** The error codes are documented in docs/api/requests.md. */
function toApiError(name: string, error: PlatformError): ApiError {
  const { failure } = error;
  switch (failure.kind) {
    case 'timeout':
      return timedOut(name, error);
    case 'quota':
    case 'unavailable': {
      const retryAfterSeconds = Math.ceil((failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) / 1000);
      return new ApiError('upstream_unavailable', `${name} is not available at the moment. Try again later.`, {
        headers: { 'Retry-After': String(Math.max(1, retryAfterSeconds)) },
        operatorText: error.message,
      });
    }
    case 'not_found':
    case 'bad_answer':
      return new ApiError('upstream_error', `${name} returned an unusable response. Try again later.`, {
        operatorText: error.message,
      });
  }
}

function timedOut(name: string, cause: unknown): ApiError {
  return new ApiError('upstream_timeout', `${name} did not respond in time. Try again later.`, {
    operatorText: String(cause),
  });
}
