/** Each read uses CPU time here and in the observed process, which could delay the awaited event. */
const pollMs = { atFirst: 10, afterASecond: 50 };

/**
 * Waits for a result other than undefined, null or false. Only for conditions that can only be observed from outside.
 * After a deadline, fails with the last value or error.
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
    if (waitedMs > deadlineMs)
      throw new Error(`Timed out after ${deadlineMs} ms while waiting for ${what}. Last result: ${last}`);
    const pauseMs = waitedMs < 1_000 ? pollMs.atFirst : pollMs.afterASecond;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
