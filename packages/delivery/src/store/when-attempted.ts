import type { DeliveryDetail, DeliveryReads } from './reads.js';
import type { DeliveryReference } from './record.js';

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;

export interface Patience {
  readonly pause: (ms: number) => Promise<unknown>;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Aborted when the process is to end: nobody waits any longer then. */
  readonly stopping: AbortSignal;
}

/** The delivery as soon as it has an attempt or is settled, or as it is after `waitMs`. @throws NotFound */
export async function whenAttempted(
  reads: Pick<DeliveryReads, 'show'>,
  delivery: DeliveryReference,
  waitMs: number,
  { pause, monotonicMs, stopping }: Patience,
): Promise<DeliveryDetail> {
  const untilMs = monotonicMs() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const shown = await reads.show(delivery);
    const ended = shown.attempts.length > 0 || shown.state !== 'pending';
    if (ended || stopping.aborted || monotonicMs() + pauseMs > untilMs) return shown;
    await pause(pauseMs);
  }
}
