import { monotonicMs } from '@artist-watch/runtime/clock';

const CHECK_INTERVAL_MS = 250;
const STALL_MS = 1_000;

export function watchForStalls(nowMs = monotonicMs) {
  let checkedAtMs = nowMs();
  let stalledUntilMs = Number.NEGATIVE_INFINITY;
  const check = () => {
    const atMs = nowMs();
    if (atMs - checkedAtMs >= STALL_MS) stalledUntilMs = atMs;
    checkedAtMs = atMs;
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  return {
    /** True if a stall of at least 1 s ended after `sinceMs` (monotonic clock). */
    stalledSince(sinceMs: number): boolean {
      // After a stall, this function may be called before the timer fires.
      check();
      return stalledUntilMs > sinceMs;
    },
    stop: () => clearInterval(timer),
  };
}
