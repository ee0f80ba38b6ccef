/**
 * The reason why a platform request failed. Only `not_found` says something about the catalogue. All other kinds are
 * about the request, and never mean that something is missing (docs/reference/detection.md).
 */
export type PlatformFailure =
  /** The platform's own error says that the entity does not exist. */
  | { readonly kind: 'not_found' }
  /** A 429, a quota error, or our request budget is used up. */
  | { readonly kind: 'quota'; readonly retryAfterMs: number }
  /** 5xx, "busy", or no connection. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'timeout' }
  /** The response has an unknown format, or contradicts itself or the request. */
  | { readonly kind: 'bad_answer'; readonly isIncompleteList?: true };

export type PlatformFailureKind = PlatformFailure['kind'];

/** The reason is stored with each incomplete snapshot, and a platform's error text can be a page long. */
const MAX_DETAIL_CHARS = 300;

/**
 * The message is for operators and contains no secret. It has the path of the request and the problem with the
 * response.
 */
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

/** The pages of a list don't add up to the whole list. */
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
