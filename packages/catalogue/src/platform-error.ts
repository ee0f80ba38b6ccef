/**
 * Why a platform gave no usable answer. Only `not_found` says anything about the catalogue; every other kind is about
 * the asking, and is never read as absence (docs/reference/detection.md).
 */
export type PlatformFailure =
  /** The platform itself said, in its own words, that it has no such thing. */
  | { readonly kind: 'not_found' }
  /** 429, a quota error, or our own budget is spent. */
  | { readonly kind: 'quota'; readonly retryAfterMs: number }
  /** 5xx, "busy", or no connection. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'timeout' }
  /** An answer that is none of the platform's own shapes, or that contradicts itself or the question. */
  | { readonly kind: 'bad_answer'; readonly isIncompleteList?: true };

export type PlatformFailureKind = PlatformFailure['kind'];

/** A reason is kept with each incomplete snapshot; a platform's own text may be a page long. */
const LONGEST_DETAIL = 300;

/** The message is for operators and holds no secret: the path that was asked, and what was wrong with the answer. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly failure: PlatformFailure,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${failure.kind}: ${detail.slice(0, LONGEST_DETAIL)}`, options);
  }
}

export function notFound(detail: string): PlatformError {
  return new PlatformError({ kind: 'not_found' }, detail);
}

export function badAnswer(detail: string, options?: ErrorOptions): PlatformError {
  return new PlatformError({ kind: 'bad_answer' }, detail, options);
}

/** The pages of a list do not make up the whole list. */
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
