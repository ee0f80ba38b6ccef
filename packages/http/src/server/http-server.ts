import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs as monotonicClock } from '@artist-watch/runtime/clock';
import { drain, listen } from '@artist-watch/runtime/lifecycle/listen';
import { oneAtATime } from './one-at-a-time.js';
import { type OnRefusal, refuseUnparsed } from './parser-refusals.js';

export interface HttpServerOptions {
  readonly port: number;
  /** The name of the setting for the port, used in the error message. */
  readonly portSetting: string;
  readonly host: string | undefined;
  readonly listener: RequestListener;
  /** This signal is aborted by the first stop request, some time before `stop` is called. */
  readonly stopping: AbortSignal;
  readonly timeouts: HttpTimeouts;
  readonly onRefusal: OnRefusal;
  /** Called for each connection that was cut because the client did not read its responses. */
  readonly onSlowReader: () => void;
}

/** Timeouts that protect against clients that are slow on purpose. */
export interface HttpTimeouts {
  /** Time from the start of a request until its headers are complete. A slower request gets a 408. */
  readonly headersMs: number;
  /** Time from the start of a request until its body is complete. A slower request gets a 408. */
  readonly requestMs: number;
  /** How long the client may take to read a response, or one chunk of it, before its connection is closed. */
  readonly answerMs: number;
  /**
   * How long a connection may have no traffic in either direction before it is closed. Default: no limit, because a
   * request may take a long time.
   */
  readonly silenceMs?: number;
  /** How long a connection may wait for a new request before it is closed. */
  readonly keepAliveMs: number;
}

export interface HttpServer {
  readonly port: number;
  /** Accepts no new connections and lets running requests finish. When `forced` is aborted, cuts the remaining ones. */
  stop(forced: AbortSignal): Promise<void>;
}

/** Timeouts are checked five times during the shortest one, and at least every 2 s. */
const MAX_CHECK_INTERVAL_MS = 2_000;
const CHECKS_IN_A_TIMEOUT = 5;

const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Starts a server for a listener. Every rejected request gets a response in our error format.
 *
 * @throws StartError if the port is in use.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { onRefusal, onSlowReader } = options;
  const { headersMs, requestMs, answerMs, silenceMs = 0, keepAliveMs } = options.timeouts;
  const shortestMs = Math.min(headersMs, requestMs, answerMs);
  const checkIntervalMs = Math.min(MAX_CHECK_INTERVAL_MS, Math.ceil(shortestMs / CHECKS_IN_A_TIMEOUT));
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    // Node refuses to start if the headers timeout is above the request timeout.
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: keepAliveMs,
    // `refuseAmbiguous` rejects a request without Host, with our error format.
    requireHostHeader: false,
  });
  // The number of headers is not limited. With a limit, Node would silently drop the headers above it, possibly the one
  // with the API key. The total size of the headers is limited anyway.
  server.maxHeadersCount = 0;
  server.timeout = silenceMs;
  const listener = oneAtATime(options.listener, options.stopping);
  server.on('request', listener);
  // A client that sends `Expect: 100-continue` gets a 100 only when its body is read. Before that, it can get an error
  // such as 401 or 413.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  handOverConnects(server, listener);
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket as Socket, onRefusal));
  const stopChecks = cutSlowReaders(server, {
    patienceMs: answerMs,
    checkIntervalMs,
    onCut: onSlowReader,
  });
  server.once('close', stopChecks);
  const port = await listen(server, { port: options.port, host: options.host, setting: options.portSetting });
  return { port, stop: (forced) => drain(server, forced) };
}

/**
 * Passes a CONNECT request to the listener like any other request, so that it is authenticated and counted before it is
 * rejected. For CONNECT, Node provides only the socket, so the response object is created here.
 */
function handOverConnects(server: Server, listener: RequestListener): void {
  server.on('connect', (request, duplex) => {
    // The server listens on a port, so this is always a Socket.
    const socket = duplex as Socket;
    // Node has removed its own error listener. A client that disconnects early is not an error.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    // The bytes after a CONNECT request are not another request, so the connection cannot be reused.
    response.setHeader('Connection', 'close');
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}

interface SlowReaderRules {
  /** The time that a client has to read a whole response, or one chunk of it, before its connection is cut. */
  readonly patienceMs: number;
  readonly checkIntervalMs: number;
  /** A monotonic clock, in milliseconds. Default: the clock of this process. */
  readonly monotonicMs?: () => number;
  /** Called for each connection that is cut. */
  readonly onCut: () => void;
}

/**
 * Cuts connections of clients that do not read their responses. Node's own timeout restarts with any traffic, so a
 * client that reads one byte now and then could occupy memory forever. This check counts only chunks that were read
 * completely. A streamed response with many chunks may therefore take a long time.
 *
 * @returns a function that stops the checks.
 */
export function cutSlowReaders(server: Server, rules: SlowReaderRules): () => void {
  const { patienceMs, checkIntervalMs, monotonicMs = monotonicClock, onCut } = rules;
  const readers = new Map<Socket, { takenBytes: number; sinceMs: number }>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { takenBytes: 0, sinceMs: monotonicMs() });
    socket.once('close', () => readers.delete(socket));
  });
  const check = setInterval(() => {
    const nowMs = monotonicMs();
    for (const [socket, reader] of readers) {
      // Node counts a chunk as written immediately, but keeps it in writableLength until the operating system has
      // accepted all its bytes.
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
