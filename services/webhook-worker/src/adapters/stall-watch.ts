import type { Monotonic } from '@artist-watch/runtime/clock';

/** Says whether this process stalled: frozen, swapped out, or busy with something else for too long. */
export interface StallWatch {
  /** At any time since then, on the monotonic clock, for a second or more? */
  stalledSince(sinceMs: number): boolean;
  stop(): void;
}

const BEAT_MS = 250;
/** A tenth of the time that a receiver has: less cannot decide about an answer. */
const STALL_MS = 1_000;

export function watchForStalls(monotonic: Monotonic): StallWatch {
  let seenAtMs = monotonic.nowMs();
  let stalledUntilMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    const nowMs = monotonic.nowMs();
    if (nowMs - seenAtMs >= STALL_MS) stalledUntilMs = nowMs;
    seenAtMs = nowMs;
  };
  const timer = setInterval(look, BEAT_MS);
  timer.unref();
  return {
    stalledSince(sinceMs) {
      // A process that wakes may come here before its timer does.
      look();
      return stalledUntilMs > sinceMs;
    },
    stop: () => clearInterval(timer),
  };
}
