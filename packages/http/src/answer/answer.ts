import { hash } from 'node:crypto';

/** What a route answers with; the two rate headers, the request id and the rest are added on the way out. */
export interface Answer {
  readonly status: number;
  /** The body as it is sent, as text or as its bytes in UTF-8; undefined for none (204). */
  readonly body: string | Uint8Array | undefined;
  /** JSON unless given. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer extends Answer {
  readonly body: string;
}

/** A body that is longer than memory: made while it is sent, as fast as the caller takes it. Has no ETag. */
export interface StreamedAnswer {
  readonly type: string;
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): TextAnswer {
  return { status, body: JSON.stringify(body), headers };
}

export const NO_CONTENT: Answer = { status: 204, body: undefined };

/** The body as text, empty where there is none. */
export function textOf({ body = '' }: Answer): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}

/** A strong validator (RFC 9110 section 8.8.3): the same tag for the same bytes only. */
export function entityTag(body: Uint8Array | string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** RFC 9110 section 13.1.2: does the caller have this already? Our tags hold no comma, so the list splits at each. */
export function isHeld(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const held = part.trim();
    return held === '*' || held === tag || held === `W/${tag}`;
  });
}
