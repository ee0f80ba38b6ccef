/** Only `not_found` means that something is missing (docs/reference/detection.md). */
export type PlatformFailure =
  | { readonly kind: 'not_found' }
  /** Also thrown if our own request budget is used up. */
  | { readonly kind: 'quota'; readonly retryAfterMs: number }
  /** Also thrown if there was no connection. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'timeout' }
  /** The response has an unknown format or contradicts itself. */
  | { readonly kind: 'bad_answer'; readonly isIncompleteList?: true };

export type PlatformFailureKind = PlatformFailure['kind'];

/** Every incomplete snapshot stores the message, and a platform's error text can be a page long. */
const MAX_DETAIL_CHARS = 300;

/** The message is for operators and contains no secrets. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly failure: PlatformFailure,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${failure.kind}: ${detail.slice(0, MAX_DETAIL_CHARS)}`, options);
  }
}

export function notFound(detail: string): PlatformError {
  return new PlatformError({ kind: 'not_found' }, detail);
}

export function badResponse(detail: string, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'bad_answer' }, detail, options);
}

export function incompleteList(detail: string, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'bad_answer', isIncompleteList: true }, detail, options);
}

export function unavailable(detail: string, retryAfterMs?: number, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'unavailable', retryAfterMs }, detail, options);
}

export function quotaSpent(detail: string, retryAfterMs: number): PlatformError {
  return new PlatformError({ kind: 'quota', retryAfterMs }, detail);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof PlatformError && error.failure.kind === 'not_found';
}
