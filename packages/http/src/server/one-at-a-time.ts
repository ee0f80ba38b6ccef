import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on a connection before reading from it stops. */
const MAX_READ_AHEAD = 8;
/** One read of 64 KiB can contain thousands of requests, which Node's parser hands over without a pause. */
const MAX_WAITING = 500;

/**
 * Status codes of responses to callers that are unknown, misdirected or over a limit. The requests that such a caller
 * has pipelined behind one of these are dropped with the connection: 64 KiB of them would cost seconds of processor
 * time. A client repeats requests without a response on a new connection (RFC 9112 section 9.3.2).
 */
const REJECTIONS: ReadonlySet<number> = new Set([400, 401, 413, 421, 429]);

/**
 * Answers the requests of each connection one after the other, in their order, and stops reading while several wait.
 * Node starts all pipelined requests at once, so one client that reads no response could fill the memory with
 * responses. Responses must have the order of the requests (RFC 9112 section 9.3.2), so other servers (nginx, Go's
 * net/http) wait too.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket) ?? new Pipeline(socket, listener);
    pipelines.set(socket, pipeline);
    pipeline.add(request, response);
  };
}

/** The unanswered requests of one connection. */
class Pipeline {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  #current: ServerResponse | undefined;
  #isPaused = false;

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket;
    this.#listener = listener;
    // Node resumes the connection when it drops the body of an answered request.
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
    // Whatever follows a rejection is dropped with the connection.
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
    this.#listener(request, response);
  }

  #pauseIfFull(): void {
    if (this.#waiting.length < MAX_READ_AHEAD) return;
    this.#isPaused = true;
    this.#socket.pause();
  }
}

/**
 * Stops Node's parser in the middle of the bytes that it has read. Destroying the socket is not enough: the rest of a
 * read of 64 KiB would still become 3,600 requests and cost 50 ms. Node has no public API for this. The parser stops
 * at a request whose handler returns 2, as for an upgrade.
 */
function stopParser(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: () => number } };
  if (parser) parser.onIncoming = () => 2;
}
