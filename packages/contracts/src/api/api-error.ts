import type { ApiErrorCode } from './errors.js';

interface ApiErrorOptions {
  /** Headers that go with the answer: `Retry-After`, `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What only the operator may read; it goes to the log. */
  readonly operatorText?: string;
  readonly cause?: unknown;
}

/** A request that is answered with an error: `message` is what the customer reads. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorText: string | undefined;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    { headers = {}, operatorText, cause }: ApiErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.headers = headers;
    this.operatorText = operatorText;
  }
}
