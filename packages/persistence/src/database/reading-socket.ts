import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { WholeMessages } from './whole-messages.js';

/** All connections read into it, one after the other; what they read is taken out before the next one reads. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * A socket for the driver, to a server without TLS. One of Node's own takes 64 KiB of new memory for each read, and the
 * driver's parser twice as much as before whenever a message goes on: several times the length of a page of 200 changes
 * (docs/adr/0018). This one gives the parser whole messages, from memory that is used
 * again: the parser keeps none of it (it copies texts out, and is done with a message when it returns).
 */
export function openReadingSocket(): Socket {
  const messages = new WholeMessages((whole) => socket.emit('data', whole));
  const onread: OnReadOpts = {
    buffer: READ_BUFFER,
    callback(bytes) {
      messages.take(READ_BUFFER.subarray(0, bytes));
      return true;
    },
  };
  // A constructor takes it too, which the types know of `connect` only.
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = { onread };
  const socket = new Socket(options);
  return socket;
}
