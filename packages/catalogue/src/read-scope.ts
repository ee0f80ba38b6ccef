import { onAbort } from '@artist-watch/runtime/abort';
import pLimit from 'p-limit';
import type { JsonAnswer } from './http/answer.js';
import type { JsonRequest } from './http/platform-http.js';
import { PlatformError } from './platform-error.js';
import type { ReadOptions } from './port.js';

/** What sends a request and reads its answer: PlatformHttp, or something that adds to it. */
export interface PlatformReader {
  read<Result>(request: JsonRequest, interpret: (answer: JsonAnswer) => Result): Promise<Result>;
}

/** Asks the platform as part of one reading. */
export type Ask = <Result>(
  request: Omit<JsonRequest, 'signal' | 'urgency'>,
  interpret: (answer: JsonAnswer) => Result,
) => Promise<Result>;

/** How many requests of one reading may be under way at once. */
const CONCURRENCY = 4;

/**
 * Runs a reading that asks for many things at once: bounded, and cut short as soon as one of them has failed, so that a
 * reading that is lost anyway does not go on spending the budget.
 */
export async function withReadScope<Result>(
  reader: PlatformReader,
  { signal, urgency }: ReadOptions,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const scope = new AbortController();
  const forgetOuter = onAbort(signal, (reason) => scope.abort(reason));
  const limit = pLimit(CONCURRENCY);
  try {
    return await work((request, interpret) =>
      limit(() => reader.read({ ...request, signal: scope.signal, urgency }, interpret)),
    );
  } finally {
    scope.abort(new Error('the reading has ended'));
    forgetOuter();
  }
}

/** More of them would only wait for each other: the requests of a reading are bounded as well. */
const PARTS_AT_ONCE = 4;

/** After so many parts in a row that could not be read, the platform is left alone for this reading. */
const MOST_FAILURES_IN_A_ROW = 5;

/**
 * The parts of a reading beyond the list, each of which counts by itself: one that could not be read whole stays unknown,
 * as where nobody had asked for it, and neither the list nor the other parts suffer.
 */
export class CloserLook {
  readonly #atOnce = pLimit(PARTS_AT_ONCE);
  #failuresInARow = 0;

  /** What `read` makes of each part; undefined where the platform gives no usable answer, or has failed too often. */
  parts<Key, Part>(keys: readonly Key[], read: (key: Key) => Promise<Part>): Promise<(Part | undefined)[]> {
    return this.#atOnce.map(keys, (key) => this.#part(() => read(key)));
  }

  async #part<Part>(read: () => Promise<Part>): Promise<Part | undefined> {
    if (this.#failuresInARow >= MOST_FAILURES_IN_A_ROW) return undefined;
    try {
      const part = await read();
      this.#failuresInARow = 0;
      return part;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // A spent quota does not come back within this reading.
      this.#failuresInARow += error.failure.kind === 'quota' ? MOST_FAILURES_IN_A_ROW : 1;
      return undefined;
    }
  }
}
