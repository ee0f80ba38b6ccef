import type { Logger } from '@artist-watch/observability/logger';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import type { Poller } from '../../application/polling/poller.js';

export interface PollingLoopsOptions {
  readonly poller: Poller;
  readonly log: Logger;
  /** Stops the loops and aborts running polls. */
  readonly signal: AbortSignal;
  /** Time after which a claim expires if it is not renewed. */
  readonly leaseMs: number;
}

/**
 * The interval of claims. A due artist waits at most this long while a slot is free, so new artists are polled within
 * seconds.
 */
const CLAIM_INTERVAL_MS = 1_000;

/** Starts the loops that poll artists. `done` resolves when the last poll has ended. */
export function startPollingLoops({ poller, log, signal, leaseMs }: PollingLoopsOptions) {
  const loop = (name: string, intervalMs: number, run: (signal: AbortSignal) => Promise<void>): Periodic =>
    every({ intervalMs, signal, run, onError: (error) => log.error(`${name}.failed`, { error }) });

  const loops = [
    loop('polling', CLAIM_INTERVAL_MS, (stop) => poller.run('usual', stop)),
    loop('polling_first', CLAIM_INTERVAL_MS, (stop) => poller.run('first', stop)),
    loop('polling_learning', CLAIM_INTERVAL_MS, (stop) => poller.run('learning', stop)),
    loop('polling_look', CLAIM_INTERVAL_MS, (stop) => poller.run('closer', stop)),
    loop('claims_renewal', leaseMs / 3, () => poller.renewClaims()),
  ];
  return { done: Promise.all(loops.map(({ done }) => done)).then(() => poller.settled()) };
}
