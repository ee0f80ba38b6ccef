import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@artist-watch/runtime/settings/start-failure';

export interface Narrator {
  say(text: string): void;
  event(text: string): void;
  begin(): void;
}

const timeWidth = 7;

export function narrator(write: (text: string) => void, nowMs: () => number): Narrator {
  let startedAtMs = nowMs();
  return {
    say: (text) => write(`${text}\n`),
    begin() {
      startedAtMs = nowMs();
    },
    event(text) {
      const seconds = `${((nowMs() - startedAtMs) / 1_000).toFixed(1)} s`;
      write(`${seconds.padStart(timeWidth)}  ${text}\n`);
    },
  };
}

const pollMs = 100;
const timeoutMs = 60_000;

/**
 * Calls `read` repeatedly until it returns a value.
 * @throws StartError after 60 s, or the signal's reason.
 */
export async function waitFor<Value>(
  what: string,
  read: () => Promise<Value | undefined>,
  signal: AbortSignal,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const value = await read();
    if (value !== undefined) return value;
    if (performance.now() > deadline)
      throw new StartError(`The demo timed out after ${timeoutMs / 1_000} s, waiting for ${what}.`);
    await sleep(pollMs, undefined, { signal });
  }
}
