import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowReaderRules {
  /** A connection whose reader has not taken one whole answer, or chunk of one, in so long is cut. */
  readonly patienceMs: number;
  readonly checkIntervalMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called for each that is cut. */
  readonly onCut: () => void;
}

/**
 * Cuts connections whose other end does not take its answers. Node's own timeout is over what moves: a reader that takes
 * a byte now and then would hold its answers, and our memory, for ever. What counts here is what was written in one piece
 * and taken whole: a streamed answer may take as long as it has chunks.
 *
 * @returns ends it.
 */
export function cutSlowReaders(server: Server, rules: SlowReaderRules): () => void {
  const { patienceMs, checkIntervalMs, monotonicMs, onCut } = rules;
  const readers = new Map<Socket, { takenBytes: number; sinceMs: number }>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { takenBytes: 0, sinceMs: monotonicMs() });
    socket.once('close', () => readers.delete(socket));
  });
  const check = setInterval(() => {
    const nowMs = monotonicMs();
    for (const [socket, reader] of readers) {
      // Node counts a piece as written at once, and as waiting until the system has all of it.
      const takenBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || takenBytes > reader.takenBytes) {
        Object.assign(reader, { takenBytes, sinceMs: nowMs });
      } else if (nowMs - reader.sinceMs >= patienceMs) {
        onCut();
        socket.destroy();
      }
    }
  }, checkIntervalMs);
  return () => clearInterval(check);
}
