import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ApiErrorCode } from '@artist-watch/contracts/api/errors';
import { monotonicMs as monotonicClock } from '@artist-watch/runtime/clock';
import { drain, listen } from '@artist-watch/runtime/settings/start-failure';
import { problemAnswer } from '../answer/answer.js';
import { currentRequest, type RequestContext } from '../request-context.js';
import { oneAtATime } from './one-at-a-time.js';

const LINGER_MS = 2_000;

type OnRefusal = (code: ApiErrorCode, reason: string) => void;

/**
 * Responds in our error format when Node's HTTP parser rejects the input. The caller is unknown, so the response has no
 * rate limit headers (docs/api/requests.md).
 */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, onRefusal: OnRefusal): void {
  const reason = error.code ?? error.message;
  const context = currentRequest(socket);
  if (!socket.writable) {
    socket.destroy();
  } else if (context) {
    endRequest(context, socket, reason);
  } else {
    const refusal = refusalOf(reason);
    onRefusal(refusal.code, reason);
    refuse(socket, refusal);
  }
}

function endRequest(context: RequestContext, socket: Socket, reason: string): void {
  const { request, response } = context;
  if (response.headersSent) {
    // The client would mistake a second response for part of the first one.
    if (response.writableEnded) socket.destroySoon();
    else socket.destroy();
    return;
  }
  response.setHeader('Connection', 'close');
  // A request that was received completely gets its normal response.
  if (request.complete) return;
  const { code, message } = refusalOf(reason);
  context.breakBy(new ApiError(code, message, { operatorText: reason }));
}

interface ParserRefusal {
  readonly code: ApiErrorCode;
  readonly message: string;
}

const REFUSALS = new Map<string, ParserRefusal>([
  [
    'HPE_HEADER_OVERFLOW',
    { code: 'headers_too_large', message: 'The URL and the headers together are larger than 16 KiB.' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { code: 'request_timeout', message: 'The complete request did not arrive in time.' }],
]);

function refusalOf(reason: string): ParserRefusal {
  return REFUSALS.get(reason) ?? { code: 'invalid_input', message: 'This is not a valid HTTP request.' };
}

function refuse(socket: Socket, refusal: ParserRefusal): void {
  const { status, body } = problemAnswer({ ...refusal, headers: {} });
  const lines = Object.entries({
    'X-Request-Id': randomUUID(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  // Every received byte restarts the socket timeout.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

export interface HttpServerOptions {
  readonly port: number;
  readonly portSetting: string;
  readonly host: string | undefined;
  readonly listener: RequestListener;
  /** Aborted when a stop is first requested, some time before `stop` is called. */
  readonly stopping: AbortSignal;
  readonly timeouts: HttpTimeouts;
  readonly onRefusal: OnRefusal;
  readonly onSlowReader: () => void;
}

export interface HttpTimeouts {
  /** Maximum time to receive a request's headers. A slower client gets a 408. */
  readonly headersMs: number;
  /** Maximum time to receive a whole request. A slower client gets a 408. */
  readonly requestMs: number;
  /** Maximum time for the client to read a response, or one chunk of it. */
  readonly answerMs: number;
  /** Closes a connection after this long without traffic. Default: no limit, because a request may take a long time. */
  readonly silenceMs?: number;
  readonly keepAliveMs: number;
}

export interface HttpServer {
  readonly port: number;
  /** Waits for requests in progress. Closes the remaining connections when `forced` is aborted. */
  stop(forced: AbortSignal): Promise<void>;
}

/** Timeouts are checked every 2 s, or five times per timeout if the shortest timeout is less than 10 s. */
const MAX_CHECK_INTERVAL_MS = 2_000;
const CHECKS_IN_A_TIMEOUT = 5;

const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Starts a server that also rejects malformed requests in our error format.
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
    // Node rejects a headers timeout that is longer than the request timeout.
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: keepAliveMs,
    // `refuseAmbiguous` rejects a missing Host header in our error format.
    requireHostHeader: false,
  });
  // If there were a limit, Node would silently drop headers, possibly the API key.
  server.maxHeadersCount = 0;
  server.timeout = silenceMs;
  const listener = oneAtATime(options.listener, options.stopping);
  server.on('request', listener);
  // The client only gets a 100 once we start reading its body, so we can send a 401 or 413 first.
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

/** Passes CONNECT requests to the listener, so that they are authenticated and counted. */
function handOverConnects(server: Server, listener: RequestListener): void {
  server.on('connect', (request, duplex) => {
    // The server listens on a port, so this is always a Socket.
    const socket = duplex as Socket;
    // Node has removed its error listener, but a client may still disconnect early.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    // The bytes after a CONNECT request are not another request.
    response.setHeader('Connection', 'close');
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}

interface SlowReaderRules {
  readonly patienceMs: number;
  readonly checkIntervalMs: number;
  readonly monotonicMs?: () => number;
  readonly onCut: () => void;
}

/**
 * Closes a connection if its client takes too long to read a chunk. Node's own timeout is not enough, because any
 * traffic restarts it.
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
      // Node counts a chunk as written before the operating system has accepted its bytes.
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
