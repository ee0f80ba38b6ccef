import { ApiError, type ApiErrorCode, type ErrorBody, statusOf } from '@artist-watch/contracts/api/errors';
import { Refusal } from '@artist-watch/domain/refusals';
import { isDatabaseUnavailable, isLockTimeout } from '@artist-watch/persistence/database/database-errors';
import { GateFull } from '@artist-watch/runtime/gate';
import type { TextAnswer } from './answer.js';

/** An error with a text for the customer and one for the operator. */
export interface HttpProblem {
  readonly code: ApiErrorCode;
  readonly message: string;
  /** Headers of the response, such as `Retry-After` or `Allow`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorText: string | undefined;
  /** The error itself, if its stack should be logged. */
  readonly fault: unknown;
}

/** Converts any error of a request to one that the customer may read. Its message contains no internals. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof ApiError) {
    const { code, message, headers, operatorText, cause } = error;
    return { code, message, headers, operatorText, fault: cause };
  }
  if (error instanceof Refusal) {
    return { code: error.code, message: error.message, headers: {}, operatorText: undefined, fault: undefined };
  }
  if (anyCause(error, isDatabaseUnavailable)) {
    return {
      code: 'service_unavailable',
      message: 'The service cannot reach its database. Try again soon.',
      headers: { 'Retry-After': '1' },
      operatorText: 'PostgreSQL is unavailable.',
      fault: error,
    };
  }
  if (anyCause(error, (cause) => cause instanceof GateFull || isLockTimeout(cause))) {
    return {
      code: 'service_unavailable',
      message: 'Too many requests of this kind are in progress. Try again soon.',
      headers: { 'Retry-After': '1' },
      operatorText: 'A gate is full, or the wait for a database lock timed out.',
      fault: undefined,
    };
  }
  return {
    code: 'internal_error',
    message: 'The service failed unexpectedly, and the error was logged. Try again later.',
    headers: {},
    operatorText: 'Unexpected error.',
    fault: error,
  };
}

/** Formats an error as every API error is formatted (docs/reference/api.md). */
export function problemAnswer({
  code,
  message,
  headers,
}: Pick<HttpProblem, 'code' | 'message' | 'headers'>): TextAnswer {
  const error: ErrorBody = { error: { code, message } };
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
