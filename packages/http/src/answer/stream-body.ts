import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Of a reader, on average: less than a slow mobile connection has. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
/** A reader may stop for this long at any time, and the buffers of the system hide its speed at first. */
const GRACE_MS = 15_000;
const MAX_TIMER_MS = 3_600_000;

/** The reader took the body so slowly that it kept the slot from others. */
class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/**
 * Sends a body in chunks, after its head was written. The next chunk is made when the one before has been taken, so a slow
 * caller holds one chunk and nothing else; one that goes away ends the making.
 *
 * A fault midway resets the connection. A caller of HTTP/1.1 misses the last chunk (RFC 9112 section 8); one of HTTP/1.0,
 * such as a reverse proxy, whose bodies end where the connection does, would take an orderly end for the whole body.
 *
 * A reader below a minimum speed is disconnected: it keeps a slot that others wait for. Only the time in which the reader is
 * waited for counts.
 *
 * @throws what the making of a chunk throws; an error for a reader that is too slow.
 */
export async function streamBody(
  response: ServerResponse,
  chunks: AsyncGenerator<Uint8Array>,
  { graceMs = GRACE_MS, minBytesPerSecond = MIN_BYTES_PER_SECOND } = {},
): Promise<void> {
  const gone = new AbortController();
  let sentBytes = 0;
  let waitedMs = 0;
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    for await (const chunk of chunks) {
      if (!response.destroyed && !response.write(chunk)) {
        const allowedMs = graceMs + (sentBytes / minBytesPerSecond) * 1_000 - waitedMs;
        const sinceMs = performance.now();
        let isLate = false;
        const late = setTimeout(
          () => {
            isLate = true;
            gone.abort();
          },
          Math.min(allowedMs, MAX_TIMER_MS),
        );
        await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
        clearTimeout(late);
        waitedMs += performance.now() - sinceMs;
        if (isLate) throw new TooSlow(`It took ${sentBytes} bytes while we waited for ${Math.round(waitedMs)} ms.`);
      }
      sentBytes += chunk.length;
      // Also after an empty chunk, which is there so that nothing is made for long for one that has gone.
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.socket?.resetAndDestroy();
    throw error;
  } finally {
    response.off('close', leave);
  }
}

/** The same chunks once `count` of them are there: what fails before can still be answered as an error. */
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
  // A generator that was never asked does not reach its `finally`.
  await all.next();
  return all;
}
