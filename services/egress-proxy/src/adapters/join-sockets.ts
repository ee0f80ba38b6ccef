import type { Socket } from 'node:net';
import type { TunnelEnd } from '../application/ports.js';
import type { Passage } from './tunnel-host.js';

export interface JoinOptions {
  readonly client: Socket;
  readonly destination: Socket;
  /** What the client sent behind its CONNECT already. */
  readonly head: Buffer;
  /** Nothing in either direction for this long ends the tunnel, in milliseconds. */
  readonly idleTimeoutMs: number;
}

/**
 * Passes bytes both ways until both sides are closed. `pipe` holds back the side that sends faster than the other takes,
 * and passes a finished side on as a half-close, so that the other may go on sending. A side that breaks off breaks the
 * other off as well.
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
  // Every byte passes through this one socket, so its clock sees both directions.
  destination.setTimeout(idleTimeoutMs, () => cut('idle'));

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
  const passOn = () => {
    if (other.destroyed) return;
    if (socket.readableEnded) {
      // Closed in order: what it sent is on its way to the other side, and nobody is left to answer to.
      other.destroySoon();
    } else {
      onLost();
      other.resetAndDestroy();
    }
  };
  return new Promise((resolve) => {
    const onClose = () => {
      passOn();
      resolve();
    };
    if (socket.closed) onClose();
    else socket.once('close', onClose);
  });
}
