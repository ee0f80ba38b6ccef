import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@artist-watch/runtime/settings/start-failure';

/** Prints the demo on the terminal, each line with the seconds since it began. */
export interface Narrator {
  /** Without a time: headings, addresses, commands. */
  say(text: string): void;
  /** Something happened now. */
  event(text: string): void;
  /** Counts the seconds from now on. */
  begin(): void;
}

const timeWidth = 7;

export function narrator(write: (text: string) => void, nowMs: () => number): Narrator {
  let beganAtMs = nowMs();
  return {
    say: (text) => write(`${text}\n`),
    begin() {
      beganAtMs = nowMs();
    },
    event(text) {
      const seconds = `${((nowMs() - beganAtMs) / 1_000).toFixed(1)} s`;
      write(`${seconds.padStart(timeWidth)}  ${text}\n`);
    },
  };
}

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
