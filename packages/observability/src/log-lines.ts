/** Limits memory, because messages that contain ids are all different. */
const REMEMBERED_MESSAGES = 100;

/** During an outage, loops fail several times a second. */
const SAME_ERROR_INTERVAL_MS = 10_000;

/**
 * Logs the same error message at most once in 10 s.
 * @param write also receives the number of suppressed errors.
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
