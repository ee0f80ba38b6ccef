import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowReaderRules {
  /** A connection whose answers have been waiting for their reader for so long, without a break, is cut. */
  readonly patienceMs: number;
  readonly checkIntervalMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Told of each that is cut. */
  readonly onCut: () => void;
}

/**
 * Cuts connections whose other end does not take its answers. Node's own timeout is over what moves: a reader that takes
 * a byte now and then would hold its answers, and our memory, for ever.
 *
 * @returns ends it.
 */
export function cutSlowReaders(server: Server, rules: SlowReaderRules): () => void {
  const { patienceMs, checkIntervalMs, monotonicMs, onCut } = rules;
  const waitingSinceMs = new Map<Socket, number | undefined>();
  server.on('connection', (socket: Socket) => {
    waitingSinceMs.set(socket, undefined);
    socket.once('close', () => waitingSinceMs.delete(socket));
  });
  const check = setInterval(() => {
    const nowMs = monotonicMs();
    for (const [socket, sinceMs = nowMs] of waitingSinceMs) {
      const waits = socket.writableLength > 0;
      waitingSinceMs.set(socket, waits ? sinceMs : undefined);
      if (!waits || nowMs - sinceMs < patienceMs) continue;
      onCut();
      socket.destroy();
    }
  }, checkIntervalMs);
  return () => clearInterval(check);
}
