/** Each look costs CPU here and where it looks, which what is waited for could use. */
const pollMs = { atFirst: 10, afterASecond: 50 };

/**
 * Waits until `read` gives something other than undefined, null or false. For what can only be observed from outside; a
 * deadline that passes fails the test with the last value or error.
 */
export async function until<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  deadlineMs = 60_000,
): Promise<Exclude<Value, undefined | null | false>> {
  const start = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const value = await read();
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<Value, undefined | null | false>;
      }
      last = value;
    } catch (error) {
      last = error;
    }
    const waitedMs = performance.now() - start;
    if (waitedMs > deadlineMs) throw new Error(`Waited ${deadlineMs} ms in vain for ${what}; last seen: ${last}`);
    const pauseMs = waitedMs < 1_000 ? pollMs.atFirst : pollMs.afterASecond;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
