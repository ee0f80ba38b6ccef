import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** The minimum average speed of a client. Even slow mobile connections are faster. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
/**
 * Grace period beyond the time that a client needs at the minimum speed, because the operating system's buffers hide
 * the client's real speed at first.
 */
const GRACE_MS = 15_000;
const MAX_TIMER_MS = 3_600_000;

/** Thrown if the client reads the body too slowly. */
class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/**
 * Sends a body in chunks after the headers were written. Each chunk is generated only after the client has received the
 * previous one, so a slow client needs memory for only one chunk. If the client disconnects, no more chunks are
 * generated.
 *
 * An error resets the connection. An HTTP/1.1 client then notices that the last chunk is missing (RFC 9112 section 8).
 * An HTTP/1.0 client, such as a reverse proxy, reads until the connection ends, so without a reset it would take the
 * partial body for a complete one.
 *
 * A client below a minimum speed is disconnected, because it occupies a slot that other requests wait for. Only the
 * time spent waiting for the client counts.
 *
 * @throws the error of the generator, or TooSlow.
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
      // This check runs after empty chunks too. A generator yields an empty chunk to find out whether the client has
      // disconnected.
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
 * Generates the first `count` chunks in advance, so that an error in them can still get an error response. Returns a
 * generator of all chunks.
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
  // Starts the generator, because a generator that was never started does not run its `finally`.
  await all.next();
  return all;
}
