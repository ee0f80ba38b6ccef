import { onAbort } from '@artist-watch/runtime/clock';
import pLimit from 'p-limit';
import type { JsonRequest, JsonResponse } from './http/platform-http.js';
import { PlatformError, type ReadOptions } from './port.js';

export interface PlatformReader {
  read<Result>(request: JsonRequest, interpret: (response: JsonResponse) => Result): Promise<Result>;
}

export type SendRequest = <Result>(
  request: Omit<JsonRequest, 'signal' | 'urgency' | 'account'>,
  interpret: (response: JsonResponse) => Result,
) => Promise<Result>;

const CONCURRENCY = 4;

/** If one request fails, the others are aborted, so that they stop using the budget. */
export async function withReadScope<Result>(
  reader: PlatformReader,
  { signal, urgency, account }: ReadOptions,
  work: (send: SendRequest) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const scope = new AbortController();
  const forgetOuter = onAbort(signal, (reason) => scope.abort(reason));
  const limit = pLimit(CONCURRENCY);
  try {
    return await work((request, interpret) =>
      limit(() => reader.read({ ...request, signal: scope.signal, urgency, account }, interpret)),
    );
  } finally {
    scope.abort(new Error('the read is over'));
    forgetOuter();
  }
}

const PARTS_AT_ONCE = 4;

const MAX_FAILURES_IN_A_ROW = 5;

/** If a detailed read fails, only its details are unknown. */
export class DetailedReads {
  readonly #atOnce = pLimit(PARTS_AT_ONCE);
  #failuresInARow = 0;

  readAll<Key, Part>(keys: readonly Key[], read: (key: Key) => Promise<Part>): Promise<(Part | undefined)[]> {
    return this.#atOnce.map(keys, (key) => this.#part(key, read));
  }

  async #part<Key, Part>(key: Key, read: (key: Key) => Promise<Part>): Promise<Part | undefined> {
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW) return undefined;
    try {
      const part = await read(key);
      this.#failuresInARow = 0;
      return part;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // After a quota error, the remaining reads would fail too.
      this.#failuresInARow += error.failure.kind === 'quota' ? MAX_FAILURES_IN_A_ROW : 1;
      return undefined;
    }
  }
}
