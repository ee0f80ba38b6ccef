/** An answer of the API that is not a success. */
export class ArtistWatchError extends Error {
  override readonly name = 'ArtistWatchError';

  constructor(
    readonly status: number,
    /** For programs: `rate_limited`, `not_found` …; `unknown` when the answer did not come from the API itself. */
    readonly code: string,
    message: string,
    /** Of this request, for those who run the service. */
    readonly requestId: string | undefined,
    /** How long the API asks to wait; undefined when it does not. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/** @param text the body, whatever it is: what stands between us and the API may answer in its place. */
export function toError(response: Response, text: string): ArtistWatchError {
  const { code, message } = readBody(text);
  return new ArtistWatchError(
    response.status,
    code ?? 'unknown',
    message ?? `The API answered ${response.status}.`,
    response.headers.get('x-request-id') ?? undefined,
    retryAfterMsOf(response.headers.get('retry-after')),
  );
}

function readBody(text: string): { readonly code?: string; readonly message?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    return {
      ...(typeof error?.code === 'string' && { code: error.code }),
      ...(typeof error?.message === 'string' && { message: error.message }),
    };
  } catch {
    return {};
  }
}

/** Whole seconds, as the API writes it. */
function retryAfterMsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined;
}
