import { onAbort } from '@artist-watch/runtime/abort';
import pLimit from 'p-limit';
import type { JsonAnswer } from './http/json-answer.js';
import type { JsonRequest } from './http/platform-http.js';
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
