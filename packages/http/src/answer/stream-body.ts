import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Average speed of a client. Slow mobile connections are faster. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
/** A client may stop reading for this long, because system buffers hide its speed at first. */
const GRACE_MS = 15_000;
const MAX_TIMER_MS = 3_600_000;

/** The client read the body too slowly, while others waited for its slot. */
class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/**
 * Sends a body in chunks, after its headers were written. The next chunk is generated after the client has received
 * the previous one, so a slow client uses memory for only one chunk. If the client disconnects, no more chunks are
 * generated.
 *
 * An error resets the connection. Then an HTTP/1.1 client misses the last chunk (RFC 9112 section 8). An HTTP/1.0
 * client, such as a reverse proxy, reads until the connection ends, so it would mistake a regular end for the complete
 * body.
 *
 * A client below a minimum speed is disconnected, because it keeps a slot that others wait for. Only the time spent
 * waiting for the client counts.
 *
 * @throws the error of the generator, or an error about a slow client.
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
        if (isLate) throw new TooSlow(`The client read ${sentBytes} bytes in ${Math.round(waitedMs)} ms.`);
      }
      sentBytes += chunk.length;
      // Also after an empty chunk. Generators yield those to detect a client that has disconnected.
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

/** Waits for the first `count` chunks, so that an error in them can still get an error response. Returns all chunks. */
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
  // A generator runs its `finally` only if it was started.
  await all.next();
  return all;
}
