import type { Logger } from '@artist-watch/observability/logger';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import type { Poller } from '../../application/polling/poller.js';

export interface PollingLoopsOptions {
  readonly poller: Poller;
  readonly log: Logger;
  /** Ends the loops, and cuts short what is being read. */
  readonly signal: AbortSignal;
  /** How long a claim lasts that is not renewed. */
  readonly leaseMs: number;
}

/** How late a reading begins at the most while there is a free place: a new watch is polled within seconds. */
const CLAIM_EVERY_MS = 1_000;

/** Keeps the poller at work. @returns `done` resolves when nothing is being read any more. */
export function startPollingLoops({ poller, log, signal, leaseMs }: PollingLoopsOptions) {
  const loop = (name: string, intervalMs: number, run: (signal: AbortSignal) => Promise<void>): Periodic =>
    every({ intervalMs, signal, run, onError: (error) => log.error(`${name}.failed`, { error }) });

  const loops = [
    loop('polling', CLAIM_EVERY_MS, (stop) => poller.run('usual', stop)),
    loop('polling_first', CLAIM_EVERY_MS, (stop) => poller.run('first', stop)),
    loop('polling_learning', CLAIM_EVERY_MS, (stop) => poller.run('learning', stop)),
    loop('polling_look', CLAIM_EVERY_MS, (stop) => poller.run('closer', stop)),
    loop('claims_renewal', leaseMs / 3, () => poller.renewClaims()),
  ];
  return { done: Promise.all(loops.map(({ done }) => done)).then(() => poller.settled()) };
}
