import type { Monotonic } from '@artist-watch/runtime/clock';

export interface StallWatch {
  /** True if a stall of at least 1 s ended after `sinceMs` (monotonic clock). */
  stalledSince(sinceMs: number): boolean;
  stop(): void;
}

const CHECK_INTERVAL_MS = 250;
const STALL_MS = 1_000;

export function watchForStalls(monotonic: Monotonic): StallWatch {
  let checkedAtMs = monotonic.nowMs();
  let stalledUntilMs = Number.NEGATIVE_INFINITY;
  const check = () => {
    const nowMs = monotonic.nowMs();
    if (nowMs - checkedAtMs >= STALL_MS) stalledUntilMs = nowMs;
    checkedAtMs = nowMs;
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  timer.unref();
  return {
    stalledSince(sinceMs) {
      // After a stall, this function may be called before the timer fires.
      check();
      return stalledUntilMs > sinceMs;
    },
    stop: () => clearInterval(timer),
  };
}
