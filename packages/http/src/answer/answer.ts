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
