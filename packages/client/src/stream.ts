export class SilenceLimit {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async for<Value>(wait: Promise<Value>): Promise<Value> {
    const giveUp = () => this.#controller.abort(new DOMException('The API did not respond in time.', 'TimeoutError'));
    const timer = setTimeout(giveUp, this.#timeoutMs);
    try {
      return await wait;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Yields lines. Time that the caller spends on a line does not count toward the timeout. */
export async function* linesOf(body: ReadableStream<Uint8Array>, patience: SilenceLimit): AsyncGenerator<string, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await patience.for(reader.read());
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
