import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** While a connection has this many waiting requests, we stop reading from it. */
const MAX_READ_AHEAD = 8;
/** A connection is closed once it has this many waiting requests, because one read of 64 KiB can contain thousands. */
const MAX_WAITING = 500;

/**
 * If requests are waiting after a response with one of these status codes, we drop them and close the connection.
 * Clients retry them on a new connection (RFC 9112 section 9.3.2).
 */
const REJECTIONS: ReadonlySet<number> = new Set([400, 401, 413, 421, 429]);

/**
 * Handles each connection's requests one at a time and in order (RFC 9112 section 9.3.2). Node starts all pipelined
 * requests together, so a client that never reads the responses could use up our memory.
 *
 * After `stopping` is aborted, responses have `Connection: close`.
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
    // Pauses again, because Node resumes the connection when it drops a request's unread body.
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
 * Stops Node's parser, which would otherwise process the rest of a 64 KiB read even after `destroy`. Node has no public
 * API for this, but a handler that returns 2 stops the parser.
 */
function stopParser(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: () => number } };
  if (parser) parser.onIncoming = () => 2;
}
