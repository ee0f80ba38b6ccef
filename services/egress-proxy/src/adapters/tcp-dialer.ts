import { connect, type Socket } from 'node:net';
import { DialFailure, kindOf } from '../application/dial-failure.js';
import type { Dial } from '../application/ports.js';

/** Probes of an idle connection, so that a destination that vanished is noticed and a NAT on the way keeps its entry. */
const KEEP_ALIVE_MS = 30_000;

/** TCP connections to an address as it stands: `host` is never a name here, so Node looks nothing up. */
export const dialTcp: Dial<Socket> = (address, port, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: address.text,
      port,
      family: address.family,
      autoSelectFamily: false,
      // One side may finish sending before the other (RFC 9293 section 3.6).
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
      // Whoever takes it over listens for 'close'; an error in between must not end the process.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
