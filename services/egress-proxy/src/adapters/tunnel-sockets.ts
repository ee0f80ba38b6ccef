import { connect, type Socket } from 'node:net';
import type { Dial } from '../application/connect-to-first.js';
import { DialFailure, kindOf } from '../application/dial-failure.js';
import type { TunnelEnd } from './tunnel-journal.js';

/** Keepalive probes detect a destination that has disappeared, and keep NAT entries alive. */
const KEEP_ALIVE_MS = 30_000;

/** Idle timeout after the client has finished sending. It is short, because workers close both directions together. */
const AFTER_CLIENT_END_MS = 1_000;

/** Opens TCP connections to IP addresses. Node resolves no names here. */
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
      // Without a listener, an 'error' event would end the process.
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
  readonly head: Buffer;
  readonly idleTimeoutMs: number;
}

/**
 * Forwards bytes in both directions. If one side finishes sending, the other side is half-closed. If one side fails,
 * the other side is reset.
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
  // All bytes pass through the destination's socket, so its timeout covers both directions.
  destination.setTimeout(idleTimeoutMs, () => cut('idle'));
  // A destination that ignores the half-close must not occupy a tunnel slot.
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
