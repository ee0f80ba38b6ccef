/** What a route answers with; the two rate headers, the request id and the rest are added on the way out. */
export interface Answer {
  readonly status: number;
  /** The body as it is sent, as text or as its bytes in UTF-8; undefined for none (204). */
  readonly json: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer extends Answer {
  readonly json: string;
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): TextAnswer {
  return { status, json: JSON.stringify(body), headers };
}

export const NO_CONTENT: Answer = { status: 204, json: undefined };

/** The body as text, empty where there is none. */
export function textOf({ json = '' }: Answer): string {
  return typeof json === 'string' ? json : Buffer.from(json).toString();
}
