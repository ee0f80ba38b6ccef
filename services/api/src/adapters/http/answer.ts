/** What a route answers with; the two rate headers, the request id and the rest are added on the way out. */
export interface Answer {
  readonly status: number;
  /** The body as it is sent; undefined for none (204). */
  readonly json: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, json: JSON.stringify(body), headers };
}

export const NO_CONTENT: Answer = { status: 204, json: undefined };
