import {
  ApiError,
  type ApiErrorCode,
  type ErrorBody,
  type ParamProblem,
  statusOf,
} from '@artist-watch/contracts/api/errors';
import { Refusal } from '@artist-watch/domain/refusals';
import { isDatabaseUnavailable, isLockTimeout } from '@artist-watch/persistence/database/database-errors';
import { GateFull } from '@artist-watch/runtime/gate';
import type { TextAnswer } from './answer.js';

export interface HttpProblem {
  readonly code: ApiErrorCode;
  readonly message: string;
  readonly errors: readonly ParamProblem[];
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorText: string | undefined;
  /** Undefined if the error doesn't need a stack trace in the log. */
  readonly fault: unknown;
}

/** Converts any error into a problem whose message does not reveal internals. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof ApiError) {
    const { code, message, errors, headers, operatorText, cause } = error;
    return { code, message, errors, headers, operatorText, fault: cause };
  }
  if (error instanceof Refusal) {
    const { code, message } = error;
    return { code, message, errors: [], headers: {}, operatorText: undefined, fault: undefined };
  }
  if (anyCause(error, isDatabaseUnavailable)) {
    return {
      code: 'service_unavailable',
      message: 'The service cannot reach its database. Try again in 1 s.',
      errors: [],
      headers: { 'Retry-After': '1' },
      operatorText: 'PostgreSQL is unavailable.',
      fault: error,
    };
  }
  if (anyCause(error, (cause) => cause instanceof GateFull || isLockTimeout(cause))) {
    return {
      code: 'service_unavailable',
      message: 'The service is processing too many requests of this kind. Try again in 1 s.',
      errors: [],
      headers: { 'Retry-After': '1' },
      operatorText:
        'Too many callers were waiting, or one waited too long (GateFull), or the wait for a database lock timed out.',
      fault: undefined,
    };
  }
  return {
    code: 'internal_error',
    message: 'An error occurred in the service and was logged. Try again later.',
    errors: [],
    headers: {},
    operatorText: 'Unexpected error.',
    fault: error,
  };
}

/** Formats a problem as the API's error response (docs/api/requests.md). */
export function problemAnswer({
  code,
  message,
  errors = [],
  headers,
}: Pick<HttpProblem, 'code' | 'message' | 'headers'> & Partial<Pick<HttpProblem, 'errors'>>): TextAnswer {
  const error: ErrorBody = { error: { code, message, ...(errors.length > 0 && { errors }) } };
  return { status: statusOf(code), body: JSON.stringify(error), headers };
}

const MAX_CAUSES = 5;

function anyCause(error: unknown, test: (error: unknown) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth += 1) {
    if (test(current)) return true;
    current = current instanceof Error ? current.cause : undefined;
  }
  return false;
}
