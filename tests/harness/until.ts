const pollMs = 10;

/**
 * Waits until `read` gives something other than undefined, null or false. For what can only be observed from outside; a
 * deadline that passes fails the test with the last value or error.
 */
export async function until<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  deadlineMs = 60_000,
): Promise<Exclude<Value, undefined | null | false>> {
  const end = performance.now() + deadlineMs;
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
    if (performance.now() > end) throw new Error(`Waited ${deadlineMs} ms in vain for ${what}; last seen: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
