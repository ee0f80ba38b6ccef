import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Sends a body in chunks, after its head was written. The next chunk is made when the one before has been taken, so a slow
 * caller holds one chunk and nothing else; one that goes away ends the making.
 *
 * A fault midway resets the connection. A caller of HTTP/1.1 misses the last chunk (RFC 9112 section 8); one of HTTP/1.0,
 * such as a reverse proxy, whose bodies end where the connection does, would take an orderly end for the whole body.
 *
 * @throws what the making of a chunk throws.
 */
export async function streamBody(response: ServerResponse, chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    for await (const chunk of chunks) {
      if (!response.destroyed && !response.write(chunk)) {
        await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
      }
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
