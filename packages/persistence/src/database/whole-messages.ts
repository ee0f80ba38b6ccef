import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';

/** Of a message: its kind in one byte, and the length of the rest, its own four bytes included. */
const KIND_BYTES = 1;
const LENGTH_BYTES = 4;

const FIRST_BYTES = 64 * 1024;
/** What a longer message needed is freed when it is through. */
const MOST_KEPT_BYTES = 1024 * 1024;

/**
 * Puts together what a PostgreSQL server says, message by message, in memory of its own that it uses again and again
 * (protocol 3.0, "Message Flow"). What is given to it is not kept.
 */
export class WholeMessages {
  readonly #onWhole: (messages: Buffer) => void;
  #held = Buffer.alloc(0);
  #heldBytes = 0;

  /** @param onWhole receives one or more whole messages, and may read them only until it returns. */
  constructor(onWhole: (messages: Buffer) => void) {
    this.#onWhole = onWhole;
  }

  take(chunk: Buffer): void {
    const bytes = this.#heldBytes === 0 ? chunk : this.#hold(chunk);
    const whole = endOfLast(bytes);
    if (whole > 0) this.#onWhole(bytes.subarray(0, whole));
    if (whole === 0 && bytes !== chunk) return;
    this.#heldBytes = 0;
    if (this.#held.length > MOST_KEPT_BYTES) this.#held = Buffer.alloc(0);
    if (whole < bytes.length) this.#hold(bytes.subarray(whole));
  }

  /** @returns all that is held. */
  #hold(chunk: Buffer): Buffer {
    const bytes = this.#heldBytes + chunk.length;
    if (bytes > this.#held.length) {
      const longer = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, this.#held.length * 2, bytes));
      this.#held.copy(longer, 0, 0, this.#heldBytes);
      this.#held = longer;
    }
    chunk.copy(this.#held, this.#heldBytes);
    this.#heldBytes = bytes;
    return this.#held.subarray(0, bytes);
  }
}

function endOfLast(bytes: Buffer): number {
  let end = 0;
  while (end + KIND_BYTES + LENGTH_BYTES <= bytes.length) {
    const next = end + KIND_BYTES + bytes.readUInt32BE(end + KIND_BYTES);
    if (next > bytes.length) break;
    end = next;
  }
  return end;
}

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
