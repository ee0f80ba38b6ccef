/** No pause that a header asks for is longer than this: a garbled date must not stop the poller for years. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * The `Retry-After` header in milliseconds from now (RFC 9110 section 10.2.3: seconds, or an HTTP date); undefined when
 * it is absent or neither of them.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(0, delayMs), LONGEST_MS);
}
