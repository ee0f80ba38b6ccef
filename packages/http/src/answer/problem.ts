import { ApiError, type ApiErrorCode, type ErrorBody, statusOf } from '@artist-watch/contracts/api/errors';
import { Refusal } from '@artist-watch/domain/refusals';
import { isDatabaseUnavailable, isLockTimeout } from '@artist-watch/persistence/database/database-errors';
import { GateFull } from '@artist-watch/runtime/gate';
import type { TextAnswer } from './answer.js';

/** An error as it is answered and logged: one text for the customer, and what the operator needs to find the fault. */
export interface HttpProblem {
  readonly code: ApiErrorCode;
  readonly message: string;
  /** Headers that go with the answer: `Retry-After`, `Allow`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorText: string | undefined;
  /** The error itself, where its stack is worth a line in the log. */
  readonly fault: unknown;
}

/** Whatever a request ended in, as the customer may read it. Nothing internal is in its message. */
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
      message: 'The service cannot reach its data for the moment. Try again soon.',
      headers: { 'Retry-After': '1' },
      operatorText: 'PostgreSQL is away.',
      fault: error,
    };
  }
  if (anyCause(error, (cause) => cause instanceof GateFull || isLockTimeout(cause))) {
    return {
      code: 'service_unavailable',
      message: 'Too many requests of this kind are in hand. Try again soon.',
      headers: { 'Retry-After': '1' },
      operatorText: 'A gate is full, or another transaction holds a lock.',
      fault: undefined,
    };
  }
  return {
    code: 'internal_error',
    message: 'The service made a mistake, which has been recorded. Try again later.',
    headers: {},
    operatorText: 'An error that no one expected.',
    fault: error,
  };
}

/** The one shape of errors (docs/reference/api.md). */
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
