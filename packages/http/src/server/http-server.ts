import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { drain, listen, withGracefulShutdown } from '@artist-watch/runtime/lifecycle/listen';
import { oneAtATime } from './one-at-a-time.js';
import { type ParserRefusals, refuseUnparsed } from './parser-refusals.js';

export interface HttpServerOptions {
  readonly port: number;
  /** Name of the port's setting, for the error message. */
  readonly portSetting: string;
  readonly host: string | undefined;
  readonly listener: RequestListener;
  /** Aborted when a stop is requested, some time before `stop` is called. */
  readonly stopping: AbortSignal;
  readonly timeouts: HttpTimeouts;
  readonly monotonicMs: () => number;
  readonly refusals: ParserRefusals;
  /** Called for each connection that was cut because the client did not read the responses. */
  readonly onSlowReader: () => void;
}

/** Timeouts against clients that are slow on purpose. */
export interface HttpTimeouts {
  /** Time from the start of a request to the end of its headers. After that the response is 408. */
  readonly headersMs: number;
  /** Time from the start of a request to the end of its body. After that the response is 408. */
  readonly requestMs: number;
  /** Time for the client to read a response or a chunk of one. After that the connection is cut. */
  readonly answerMs: number;
  /**
   * Time without traffic in either direction. After that the connection is cut. Default: no limit, for slow requests.
   */
  readonly silenceMs?: number;
  /** Time between two requests on a connection. After that the connection is closed. */
  readonly keepAliveMs: number;
}

export interface HttpServer {
  readonly port: number;
  /** Accepts no new connections, finishes running requests, and cuts the remaining ones when `forced` is aborted. */
  stop(forced: AbortSignal): Promise<void>;
}

/** Timeouts are checked five times within the shortest one, and at least every 2 s. */
const MAX_CHECK_INTERVAL_MS = 2_000;
const CHECKS_IN_A_TIMEOUT = 5;

const MAX_HEAD_BYTES = 16 * 1024;

/** Starts a server for a listener. Every rejection has our error format. @throws StartError if the port is in use. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { refusals, monotonicMs, onSlowReader } = options;
  const { headersMs, requestMs, answerMs, silenceMs = 0, keepAliveMs } = options.timeouts;
  const shortestMs = Math.min(headersMs, requestMs, answerMs);
  const checkIntervalMs = Math.min(MAX_CHECK_INTERVAL_MS, Math.ceil(shortestMs / CHECKS_IN_A_TIMEOUT));
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    // Node does not start with a headers timeout above the request timeout.
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: keepAliveMs,
    // `refuseAmbiguous` rejects it with our error format.
    requireHostHeader: false,
  });
  // With a limit, Node drops further headers, such as the API key. Their total size is limited already.
  server.maxHeadersCount = 0;
  server.timeout = silenceMs;
  const listener = oneAtATime(withGracefulShutdown(options.listener, options.stopping));
  server.on('request', listener);
  // A client that sends Expect: 100-continue gets 100 when the body is read, or an error such as 401 or 413 instead.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  handOverConnects(server, listener);
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket as Socket, refusals));
  const stopChecks = cutSlowReaders(server, {
    patienceMs: answerMs,
    checkIntervalMs,
    monotonicMs,
    onCut: onSlowReader,
  });
  server.once('close', stopChecks);
  const port = await listen(server, { port: options.port, host: options.host, setting: options.portSetting });
  return { port, stop: (forced) => drain(server, forced) };
}

/**
 * Passes CONNECT to the listener like any other request, so that it is authenticated and counted before it is rejected.
 * Node provides only the socket and no response object.
 */
function handOverConnects(server: Server, listener: RequestListener): void {
  server.on('connect', (request, duplex) => {
    // Always a Socket, because the server listens on a port.
    const socket = duplex as Socket;
    // Node has removed its own listener. A client that disconnects early is not an error.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    // The bytes after a CONNECT are not a request.
    response.setHeader('Connection', 'close');
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}

interface SlowReaderRules {
  /** A connection is cut if the client has not read a whole response, or a chunk of one, for this time. */
  readonly patienceMs: number;
  readonly checkIntervalMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called for each connection that is cut. */
  readonly onCut: () => void;
}

/**
 * Cuts connections of clients that do not read their responses. Any traffic restarts Node's own timeout, so a client
 * that reads a byte now and then would occupy our memory forever. This check counts only completely read chunks, so a
 * streamed response may take long if it has many chunks.
 *
 * @returns a function that stops the checks
 */
export function cutSlowReaders(server: Server, rules: SlowReaderRules): () => void {
  const { patienceMs, checkIntervalMs, monotonicMs, onCut } = rules;
  const readers = new Map<Socket, { takenBytes: number; sinceMs: number }>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { takenBytes: 0, sinceMs: monotonicMs() });
    socket.once('close', () => readers.delete(socket));
  });
  const check = setInterval(() => {
    const nowMs = monotonicMs();
    for (const [socket, reader] of readers) {
      // Node counts a chunk as written immediately, and in writableLength until the system has accepted all its bytes.
      const takenBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || takenBytes > reader.takenBytes) {
        Object.assign(reader, { takenBytes, sinceMs: nowMs });
      } else if (nowMs - reader.sinceMs >= patienceMs) {
        onCut();
        socket.destroy();
      }
    }
  }, checkIntervalMs);
  return () => clearInterval(check);
}
