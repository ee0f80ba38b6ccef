import type { Logger } from '@artist-watch/observability/logger';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import type { Poller } from '../../application/polling/poller.js';

export interface PollingLoopsOptions {
  readonly poller: Poller;
  readonly log: Logger;
  /** Aborting this signal also stops running polls. */
  readonly signal: AbortSignal;
  readonly leaseMs: number;
}

/** While a slot is free, a due artist waits at most this long. */
const CLAIM_INTERVAL_MS = 1_000;

export function startPollingLoops({ poller, log, signal, leaseMs }: PollingLoopsOptions) {
  const poll = (kind: Parameters<Poller['run']>[0], onError: (error: unknown) => void): Periodic =>
    every({ intervalMs: CLAIM_INTERVAL_MS, signal, run: (stop) => poller.run(kind, stop), onError });

  const loops = [
    poll('usual', (error) => log.error('polling.failed', { error })),
    poll('first', (error) => log.error('polling_first.failed', { error })),
    poll('learning', (error) => log.error('polling_learning.failed', { error })),
    poll('closer', (error) => log.error('polling_look.failed', { error })),
    every({
      intervalMs: leaseMs / 3,
      signal,
      run: () => poller.renewClaims(),
      onError: (error) => log.error('claims_renewal.failed', { error }),
    }),
  ];
  return { done: Promise.all(loops.map(({ done }) => done)).then(() => poller.settled()) };
}
