import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { drain, KEEP_ALIVE_MS, listen, withGracefulShutdown } from '@artist-watch/runtime/lifecycle/listen';
import { oneAtATime } from './one-at-a-time.js';
import { type ParserRefusals, refuseUnparsed } from './parser-refusals.js';

export interface HttpServerOptions {
  readonly port: number;
  /** The setting that names the port, for whoever finds it taken. */
  readonly portSetting: string;
  readonly host: string | undefined;
  readonly listener: RequestListener;
  /** Aborted when it is told to stop, some time before it is stopped. */
  readonly stopping: AbortSignal;
  readonly timeouts: HttpTimeouts;
  readonly monotonicMs: () => number;
  readonly refusals: ParserRefusals;
  /** Called for each connection that was cut because nobody read its answers. */
  readonly onSlowReader: () => void;
}

/** Against clients that are slow on purpose. */
export interface HttpTimeouts {
  /** From the beginning of a request to the end of its headers; then 408, before there is a request to speak of. */
  readonly headersMs: number;
  /** From the beginning of a request to the end of its body; then 408. */
  readonly requestMs: number;
  /** For an answer to be taken; then the connection is cut. */
  readonly answerMs: number;
  /** Of whatever else: nothing moved for so long in either direction. None for work that takes longer. */
  readonly silenceMs?: number;
}

export interface HttpServer {
  readonly port: number;
  /** Takes no new connection, lets the requests in hand end, and cuts what is left when `forced` is aborted. */
  stop(forced: AbortSignal): Promise<void>;
}

/** How late a timeout may be noticed at the most, and in which part of it. */
const MAX_CHECK_INTERVAL_MS = 2_000;
const CHECKS_IN_A_TIMEOUT = 5;

const MAX_HEAD_BYTES = 16 * 1024;

/** Serves a listener, with every refusal in our shape. @throws StartError when the port is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { refusals, monotonicMs, onSlowReader } = options;
  const { headersMs, requestMs, answerMs, silenceMs = 0 } = options.timeouts;
  const shortestMs = Math.min(headersMs, requestMs, answerMs);
  const checkIntervalMs = Math.min(MAX_CHECK_INTERVAL_MS, Math.ceil(shortestMs / CHECKS_IN_A_TIMEOUT));
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    // Node refuses to start with one that is longer than that of the whole request.
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // `refuseAmbiguous` refuses it, in our shape.
    requireHostHeader: false,
  });
  // Node would leave out those that are too many, the key among them; how long they are together is bounded already.
  server.maxHeadersCount = 0;
  server.timeout = silenceMs;
  const listener = oneAtATime(withGracefulShutdown(options.listener, options.stopping));
  server.on('request', listener);
  // Whoever asks first whether the body is wanted hears so when it is read, and 401 or 413 otherwise.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  handOverConnects(server, listener);
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket as Socket, refusals));
  const endCuts = cutSlowReaders(server, { patienceMs: answerMs, checkIntervalMs, monotonicMs, onCut: onSlowReader });
  server.once('close', endCuts);
  const port = await listen(server, { port: options.port, host: options.host, setting: options.portSetting });
  return { port, stop: (forced) => drain(server, forced) };
}

/**
 * Hands CONNECT to the listener, like any other request: it is authenticated and counted before it is refused. Node gives
 * its socket away and makes no answer for it.
 */
function handOverConnects(server: Server, listener: RequestListener): void {
  server.on('connect', (request, duplex) => {
    // Of a server that listens on a port.
    const socket = duplex as Socket;
    // Node has taken its own listener off: whoever goes away without the answer is no fault.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    // What follows a CONNECT on a connection is no request.
    response.setHeader('Connection', 'close');
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}

interface SlowReaderRules {
  /** A connection whose reader has not taken one whole answer, or chunk of one, in so long is cut. */
  readonly patienceMs: number;
  readonly checkIntervalMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called for each that is cut. */
  readonly onCut: () => void;
}

/**
 * Cuts connections whose other end does not take its answers. Node's own timeout is over what moves: a reader that takes
 * a byte now and then would hold its answers, and our memory, for ever. What counts here is what was written in one piece
 * and taken whole: a streamed answer may take as long as it has chunks.
 *
 * @returns ends it.
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
      // Node counts a piece as written at once, and as waiting until the system has all of it.
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
