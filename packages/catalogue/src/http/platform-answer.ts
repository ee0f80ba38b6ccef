import { z } from 'zod';

/** A request as it was sent, and what came back before anyone asked what it means. It holds no credential. */
export const platformAnswerSchema = z.object({
  method: z.enum(['GET', 'POST']),
  /** With its query. */
  path: z.string().startsWith('/'),
  /** Null where no whole answer came. */
  status: z.number().int().min(200).max(599).nullable(),
  headers: z.record(z.string(), z.string()),
  /** As it came, so that what is wrong with it stays so. */
  body: z.string(),
});

export type PlatformAnswer = z.output<typeof platformAnswerSchema>;

/** Those that decide how an answer is read, or say how old it is. Cookies and traces are left out. */
const KEPT_HEADERS = ['content-type', 'retry-after', 'date', 'age', 'cache-control'];

export function platformAnswer(
  { path, form }: { readonly path: string; readonly form?: unknown },
  response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  } | null,
): PlatformAnswer {
  const method = form === undefined ? 'GET' : 'POST';
  if (response === null) return { method, path, status: null, headers: {}, body: '' };
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = response.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  // Only tokens are asked for by POST. Their answers hold one, and may repeat what was sent.
  const body = method === 'POST' ? withoutCredentials(response.body) : response.body;
  return { method, path, status: response.status, headers, body };
}

/** The answer of RFC 6749 sections 5.1 and 5.2 without the token; nothing of any other. */
function withoutCredentials(text: string): string {
  try {
    const { access_token, token_type, expires_in, error } = JSON.parse(text);
    return JSON.stringify({ ...(access_token && { access_token: 'removed' }), token_type, expires_in, error });
  } catch {
    return '';
  }
}
