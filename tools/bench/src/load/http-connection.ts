import { connect, type Socket } from 'node:net';

export function getRequest(path: string, headers: Readonly<Record<string, string>> = {}): Uint8Array {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** Shared, because allocating a buffer for each large response would create garbage during the measurement. */
const READ_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked\r\n/i;
/** A chunked body ends with these bytes (RFC 9112, section 7.1), which don't occur anywhere else in our pages. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

interface Waiting {
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

/** A minimal client, because node:http would use as much CPU time as the server. */
export class HttpConnection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #broken: Error | undefined;
  #head: Buffer | undefined;
  #status = 0;
  #bodyBytesLeft = 0;
  /** The last bytes of a chunked body. Undefined if the response has a Content-Length. */
  #tail: Buffer | undefined;
  firstByteAtMs = 0;

  private constructor(port: number) {
    const socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (size, buffer) => {
          this.#read(buffer.subarray(0, size));
          return true;
        },
      },
    });
    this.#socket = socket;
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection.')));
  }

  static open(port: number): Promise<HttpConnection> {
    const connection = new HttpConnection(port);
    return new Promise((resolve, reject) => {
      connection.#socket.once('error', reject);
      connection.#socket.once('connect', () => {
        connection.#socket.off('error', reject);
        resolve(connection);
      });
    });
  }

  /** Resolves with the status after the complete response. Rejects if the connection closes. */
  request(bytes: Uint8Array): Promise<number> {
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    if (this.#tail) {
      this.#readChunked(this.#tail, chunk);
      return;
    }
    if (this.#bodyBytesLeft > 0) {
      this.#bodyBytesLeft -= chunk.length;
      if (this.#bodyBytesLeft <= 0) this.#finish();
      return;
    }
    if (!this.#head) this.firstByteAtMs = performance.now();
    const head = Buffer.concat(this.#head ? [this.#head, chunk] : [chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = head;
      return;
    }
    this.#head = undefined;
    const text = head.toString('latin1', 0, end + 2);
    this.#status = Number(text.slice(9, 12));
    if (CHUNKED.test(text)) {
      this.#readChunked(Buffer.alloc(0), head.subarray(end + 2));
      return;
    }
    const length = CONTENT_LENGTH.exec(text)?.[1];
    if (length === undefined && this.#status !== 204 && this.#status !== 304) {
      this.#fail(new Error(`The response has no Content-Length: ${text}`));
      return;
    }
    this.#bodyBytesLeft = Number(length ?? 0) - (head.length - end - HEAD_END.length);
    if (this.#bodyBytesLeft <= 0) this.#finish();
  }

  #readChunked(before: Buffer, chunk: Uint8Array): void {
    const tail = Buffer.concat([before, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
    this.#tail = tail;
    if (tail.equals(LAST_CHUNK)) this.#finish();
  }

  #finish(): void {
    this.#bodyBytesLeft = 0;
    this.#tail = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(this.#status);
  }

  #fail(error: Error): void {
    this.#broken ??= error;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}
