/** Caps memory use. Messages that contain ids are all different, so the map would grow without bound. */
const REMEMBERED_MESSAGES = 100;

/** During an outage, loops can fail several times a second. */
const SAME_ERROR_INTERVAL_MS = 10_000;

/**
 * Logs the same error message at most once every 10 s.
 * @param write also receives the number of errors that were suppressed.
 */
export function throttled(
  write: (error: unknown, suppressed: number) => void,
  monotonicMs: () => number,
): (error: unknown) => void {
  const written = new Map<string, { readonly atMs: number; suppressed: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const last = written.get(message);
    const nowMs = monotonicMs();
    if (last !== undefined && nowMs - last.atMs < SAME_ERROR_INTERVAL_MS) {
      last.suppressed += 1;
      return;
    }
    if (written.size >= REMEMBERED_MESSAGES) written.clear();
    written.set(message, { atMs: nowMs, suppressed: 0 });
    write(error, last?.suppressed ?? 0);
  };
}
