import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What the requests of a reading wait behind, where several replicas and readings share a budget: `due` ones (lists,
 * confirmations, look-ups) go first; `close` ones (what a crowd of new artists asks for) get every fourth turn at least; `spare` ones
 * get what both leave over, and are refused when that is nothing.
 */
export type RequestUrgency = 'due' | 'close' | 'spare';

const current = new AsyncLocalStorage<RequestUrgency>();

/** All requests that `work` sends have this urgency; those of nobody are due. */
export function withUrgency<Result>(urgency: RequestUrgency, work: () => Result): Result {
  return current.run(urgency, work);
}

export function urgencyOfRequest(): RequestUrgency {
  return current.getStore() ?? 'due';
}
