import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@artist-watch/runtime/settings/start-failure';

const pollMs = 100;
const timeoutMs = 60_000;

/**
 * Looks until there is something to see.
 *
 * @throws StartError that names what did not come; the signal's reason when it is aborted meanwhile.
 */
export async function waitFor<Value>(
  what: string,
  look: () => Promise<Value | undefined>,
  signal: AbortSignal,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > deadline)
      throw new StartError(`The demo waited ${timeoutMs / 1_000} s in vain for ${what}.`);
    await sleep(pollMs, undefined, { signal });
  }
}
