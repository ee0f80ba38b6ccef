/** Messages that have an id in them are many. */
const REMEMBERED_MESSAGES = 100;

/**
 * Writes trouble down, the same trouble once in a while: what fails at once is tried thousands of times a second.
 *
 * @param write is told how often the same came without a line since the last one.
 * @param everyMs between two lines of the same message; a second unless given.
 */
export function sparingly(
  write: (error: unknown, unsaid: number) => void,
  monotonicMs: () => number,
  everyMs = 1_000,
): (error: unknown) => void {
  const said = new Map<string, { readonly atMs: number; unsaid: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const last = said.get(message);
    const nowMs = monotonicMs();
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.unsaid += 1;
      return;
    }
    if (said.size >= REMEMBERED_MESSAGES) said.clear();
    said.set(message, { atMs: nowMs, unsaid: 0 });
    write(error, last?.unsaid ?? 0);
  };
}
