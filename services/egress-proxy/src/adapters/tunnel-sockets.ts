import { connect, type Socket } from 'node:net';
import type { Dial } from '../application/connect-to-first.js';
import { DialFailure, kindOf } from '../application/dial-failure.js';
import type { TunnelEnd } from './tunnel-journal.js';

/**
 * How long a tunnel is idle before TCP sends keepalive probes. They detect a destination that has disappeared, and keep
 * NAT entries alive.
 */
const KEEP_ALIVE_MS = 30_000;

/**
 * The idle timeout of a tunnel after its client has finished sending. It is short, because workers close both
 * directions at the same time.
 */
const AFTER_CLIENT_END_MS = 1_000;

/** Opens TCP connections to IP addresses. `host` is never a name here, so Node resolves nothing. */
export const dialTcp: Dial<Socket> = (address, port, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: address.text,
      port,
      family: address.family,
      autoSelectFamily: false,
      // Either side may finish sending before the other (RFC 9293 section 3.6).
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    const onAbort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    const onError = (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', onAbort);
      reject(new DialFailure(kindOf(error, address.family), { cause: error }));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      // The next owner of the socket listens only for 'close'. Without this listener, an 'error' event would end the
      // process.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });

interface Passage {
  /** Resolves when both sides are closed. Never rejects. */
  readonly ended: Promise<TunnelEnd>;
  cut(end: TunnelEnd): void;
}

interface JoinOptions {
  readonly client: Socket;
  readonly destination: Socket;
  /** Bytes that the client sent directly after its CONNECT. */
  readonly head: Buffer;
  /** The tunnel is closed after this time without traffic in either direction, in milliseconds. */
  readonly idleTimeoutMs: number;
}

/**
 * Forwards bytes in both directions until both sides are closed. `pipe` applies backpressure. It forwards the end of
 * one side as a half-close, so that the other side can continue to send. An error on one side also cuts the other.
 */
export function joinSockets({ client, destination, head, idleTimeoutMs }: JoinOptions): Passage {
  let end: TunnelEnd = 'finished';
  const cut = (reason: TunnelEnd) => {
    end = reason;
    client.destroy();
    destination.destroy();
  };

  if (head.length > 0) destination.write(head);
  client.pipe(destination);
  destination.pipe(client);
  // All bytes pass through this socket, so its idle timeout covers both directions.
  destination.setTimeout(idleTimeoutMs, () => cut('idle'));
  // A destination that ignores the half-close must not occupy a tunnel slot. If it sends bytes to a client that has
  // closed its socket, the client's machine responds with a reset.
  client.once('end', () => destination.setTimeout(Math.min(idleTimeoutMs, AFTER_CLIENT_END_MS)));

  const ended = Promise.all([
    closed(client, destination, () => {
      if (end === 'finished') end = 'client_lost';
    }),
    closed(destination, client, () => {
      if (end === 'finished') end = 'destination_lost';
    }),
  ]).then(() => end);
  return { ended, cut };
}

function closed(socket: Socket, other: Socket, onLost: () => void): Promise<void> {
  return new Promise((resolve) => {
    const onClose = () => {
      resolve();
      if (other.destroyed) return;
      if (socket.readableEnded) {
        // This side has closed regularly. Its bytes are already being sent to the other side, and it can no longer
        // receive a response.
        other.destroySoon();
      } else {
        onLost();
        other.resetAndDestroy();
      }
    };
    if (socket.closed) onClose();
    else socket.once('close', onClose);
  });
}
