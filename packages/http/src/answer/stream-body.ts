import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Even slow mobile connections are faster than this minimum. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
/**
 * The minimum only applies after this time, because the operating system's buffers hide the client's real speed at
 * first.
 */
const GRACE_MS = 15_000;
const MAX_TIMER_MS = 3_600_000;

class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/**
 * Streams a body after the headers, one chunk at a time.
 *
 * An error resets the connection, so that clients notice the missing last chunk (RFC 9112 section 8). Clients below a
 * minimum speed are disconnected.
 *
 * @throws the generator's error, or TooSlow.
 */
export async function streamBody(
  response: ServerResponse,
  chunks: AsyncGenerator<Uint8Array>,
  { graceMs = GRACE_MS, minBytesPerSecond = MIN_BYTES_PER_SECOND } = {},
): Promise<void> {
  const stopWaiting = new AbortController();
  let sentBytes = 0;
  let waitedMs = 0;
  const onClose = () => stopWaiting.abort();
  response.once('close', onClose);
  try {
    for await (const chunk of chunks) {
      if (!response.destroyed && !response.write(chunk)) {
        const allowedMs = graceMs + (sentBytes / minBytesPerSecond) * 1_000 - waitedMs;
        const sinceMs = performance.now();
        let isLate = false;
        const late = setTimeout(
          () => {
            isLate = true;
            stopWaiting.abort();
          },
          Math.min(allowedMs, MAX_TIMER_MS),
        );
        await once(response, 'drain', { signal: stopWaiting.signal }).catch(() => undefined);
        clearTimeout(late);
        waitedMs += performance.now() - sinceMs;
        if (isLate) throw new TooSlow(`The client reads too slowly: ${sentBytes} bytes in ${Math.round(waitedMs)} ms.`);
      }
      sentBytes += chunk.length;
      // Empty chunks let the generator check whether the client has disconnected.
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.socket?.resetAndDestroy();
    throw error;
  } finally {
    response.off('close', onClose);
  }
}

/**
 * Generates the first `count` chunks before the response starts, so that an error can still become an error response.
 * Returns all chunks, including these.
 */
export async function begun(chunks: AsyncGenerator<Uint8Array>, count: number): Promise<AsyncGenerator<Uint8Array>> {
  const first: Uint8Array[] = [];
  for (let made = 0; made < count; made += 1) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
  }
  const all = (async function* () {
    try {
      yield new Uint8Array();
      yield Buffer.concat(first);
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  })();
  // A generator that was never started doesn't run its `finally` block.
  await all.next();
  return all;
}
