/**
 * The reason why a platform request failed. Only `not_found` says something about the catalogue. All other kinds are
 * about the request and never mean that something is missing (docs/reference/detection.md).
 */
export type PlatformFailure =
  /** The platform's own error says that the entity does not exist. */
  | { readonly kind: 'not_found' }
  /** The platform sent a 429 or a quota error, or our request budget is used up. */
  | { readonly kind: 'quota'; readonly retryAfterMs: number }
  /** The platform sent a 5xx status or "busy", or there was no connection. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'timeout' }
  /** The response has an unknown format, or it contradicts itself or the request. */
  | { readonly kind: 'bad_answer'; readonly isIncompleteList?: true };

export type PlatformFailureKind = PlatformFailure['kind'];

/**
 * Maximum length of the message. A platform's error text can be a page long, and the message is stored with each
 * incomplete snapshot.
 */
const MAX_DETAIL_CHARS = 300;

/**
 * An error whose message is for operators. The message contains the path of the request and the problem with the
 * response, but no secrets.
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

/** Returns the error for a list whose pages do not add up to its total. */
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
