import { hash } from 'node:crypto';

/** A route's response, without the headers that RequestContext adds. */
export interface Answer {
  readonly status: number;
  /** Text or UTF-8 bytes. Undefined for a 204. */
  readonly body: string | Uint8Array | undefined;
  /** Default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer extends Answer {
  readonly body: string;
}

/** A response that is generated only as fast as the client reads it. Has no ETag. */
export interface StreamedAnswer {
  readonly type: string;
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): TextAnswer {
  return { status, body: JSON.stringify(body), headers };
}

export const NO_CONTENT: Answer = { status: 204, body: undefined };

export function textOf({ body = '' }: Answer): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}

/** Returns a strong entity tag (RFC 9110 section 8.8.3). */
export function entityTag(body: Uint8Array | string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** True if `If-None-Match` contains the tag (RFC 9110 section 13.1.2). Our tags contain no commas. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === tag || candidate === `W/${tag}`;
  });
}
