import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** If a connection has this many waiting requests, no more bytes are read from it. */
const MAX_READ_AHEAD = 8;
/**
 * A connection with this many waiting requests is closed. One read of 64 KiB can contain thousands of
 * requests, and Node's parser passes them on without a pause.
 */
const MAX_WAITING = 500;

/**
 * If a response has one of these status codes, the requests behind it are dropped with the connection. Such a caller is
 * unknown, used the wrong server or is over a limit, and 64 KiB of pipelined requests would cost seconds of processor
 * time. A client retries requests without a response on a new connection (RFC 9112 section 9.3.2).
 */
const REJECTIONS: ReadonlySet<number> = new Set([400, 401, 413, 421, 429]);

/**
 * Handles the requests of each connection one after the other and stops reading while several wait. Node starts all
 * pipelined requests at once, so a client that does not read responses could fill the memory with them. Responses must
 * have the order of the requests (RFC 9112 section 9.3.2), so other servers (nginx, Go's net/http) also handle them one
 * at a time.
 *
 * After `stopping` is aborted, every response has `Connection: close`, so that clients stop using their connections
 * before the server closes them.
 */
export function oneAtATime(listener: RequestListener, stopping: AbortSignal): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket) ?? new Pipeline(socket, listener, stopping);
    pipelines.set(socket, pipeline);
    pipeline.add(request, response);
  };
}

/** The requests of one connection that still need a response. */
class Pipeline {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #stopping: AbortSignal;
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  #current: ServerResponse | undefined;
  #isPaused = false;

  constructor(socket: Socket, listener: RequestListener, stopping: AbortSignal) {
    this.#socket = socket;
    this.#listener = listener;
    this.#stopping = stopping;
    // When Node drops the unread body of a finished request, it resumes the connection. The connection is therefore
    // paused again.
    socket.on('resume', () => this.#pauseIfFull());
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#waiting.length = 0;
      this.#socket.destroy();
      stopParser(this.#socket);
    }
    if (this.#socket.destroyed) return;
    this.#waiting.push([request, response]);
    // After a rejection, all further requests of the connection are dropped with it.
    if (this.#current?.writableEnded && REJECTIONS.has(this.#current.statusCode)) stopParser(this.#socket);
    this.#pauseIfFull();
    this.#next();
  }

  #next(): void {
    const [next] = this.#waiting;
    if (this.#current || !next || this.#socket.destroyed) return;
    this.#waiting.shift();
    const [request, response] = next;
    this.#current = response;
    response.once('close', () => {
      this.#current = undefined;
      if (this.#waiting.length > 0 && REJECTIONS.has(response.statusCode)) {
        this.#waiting.length = 0;
        this.#socket.destroySoon();
        return;
      }
      if (this.#isPaused && this.#waiting.length < MAX_READ_AHEAD) {
        this.#isPaused = false;
        this.#socket.resume();
      }
      this.#next();
    });
    if (this.#stopping.aborted) response.setHeader('Connection', 'close');
    this.#listener(request, response);
  }

  #pauseIfFull(): void {
    if (this.#waiting.length < MAX_READ_AHEAD) return;
    this.#isPaused = true;
    this.#socket.pause();
  }
}

/**
 * Stops Node's parser within the bytes that it has already read. It is not enough to destroy the socket: the rest of a
 * 64 KiB read would still become 3,600 requests and take 50 ms. Node has no public API for this. The parser stops at a
 * request whose handler returns 2, as it does for an upgrade.
 */
function stopParser(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: () => number } };
  if (parser) parser.onIncoming = () => 2;
}
