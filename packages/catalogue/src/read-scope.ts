import { onAbort } from '@artist-watch/runtime/abort';
import pLimit from 'p-limit';
import type { JsonRequest } from './http/platform-http.js';
import type { JsonResponse } from './http/response.js';
import { PlatformError } from './platform-error.js';
import type { ReadOptions } from './port.js';

/** Sends a request and interprets its response: PlatformHttp, or a wrapper of it. */
export interface PlatformReader {
  read<Result>(request: JsonRequest, interpret: (response: JsonResponse) => Result): Promise<Result>;
}

/** Sends a request as part of one read. */
export type SendRequest = <Result>(
  request: Omit<JsonRequest, 'signal' | 'urgency' | 'account'>,
  interpret: (response: JsonResponse) => Result,
) => Promise<Result>;

/** Maximum number of concurrent requests of one read. */
const CONCURRENCY = 4;

/**
 * Runs a read that sends several requests at once. Limits their number, and aborts the rest as soon as one has failed,
 * so that a failed read does not keep using the budget.
 */
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
    scope.abort(new Error('the read has ended'));
    forgetOuter();
  }
}

/** More would only wait, because a read's requests are limited too. */
const PARTS_AT_ONCE = 4;

/** After so many failures in a row, this read sends no further requests for details. */
const MAX_FAILURES_IN_A_ROW = 5;

/**
 * Runs the detailed reads of an artist. If one fails, its details stay unknown, and the list and the other details are
 * not affected.
 */
export class DetailedReads {
  readonly #atOnce = pLimit(PARTS_AT_ONCE);
  #failuresInARow = 0;

  /** Reads the details for each key. Undefined if the platform gave no usable response, or after too many failures. */
  readAll<Key, Part>(keys: readonly Key[], read: (key: Key) => Promise<Part>): Promise<(Part | undefined)[]> {
    return this.#atOnce.map(keys, (key) => this.#part(() => read(key)));
  }

  async #part<Part>(read: () => Promise<Part>): Promise<Part | undefined> {
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW) return undefined;
    try {
      const part = await read();
      this.#failuresInARow = 0;
      return part;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // A quota does not recover within this read.
      this.#failuresInARow += error.failure.kind === 'quota' ? MAX_FAILURES_IN_A_ROW : 1;
      return undefined;
    }
  }
}
