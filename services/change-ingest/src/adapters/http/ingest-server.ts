import { createServer, type RequestListener, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import { listen } from '@artist-watch/runtime/lifecycle/listen';
import { drain, KEEP_ALIVE_MS, sayingGoodbye } from '@artist-watch/runtime/lifecycle/serving';
import { refusalBody } from './answer-refusals.js';

/** A body of 5 MB over a slow line has this long. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 10_000;

export interface IngestServer {
  readonly port: number;
  /** Takes no new request, and resolves when those under way are answered; cuts them when `hurry` is aborted. */
  stop(hurry: AbortSignal): Promise<void>;
}

export interface IngestServerOptions {
  readonly port: number;
  readonly host: string | undefined;
  /** Aborted when it is told to stop, some time before it is stopped. */
  readonly stopping: AbortSignal;
}

/** Throws a StartError when the port is taken. */
export async function startIngestServer(
  app: RequestListener,
  { port, host, stopping }: IngestServerOptions,
): Promise<IngestServer> {
  const times = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = createServer(times, sayingGoodbye(app, stopping));
  server.on('clientError', refuseUnparsed);
  const usedPort = await listen(server, { port, host, setting: 'INGEST_PORT' });
  return { port: usedPort, stop: (hurry) => drain(server, hurry) };
}

/** What Node's HTTP parser refuses never reaches the app; it gets the same shape of answer. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { code, message } = parserRefusal(error.code);
  const body = refusalBody(code, message);
  const status = statusOf(code);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function parserRefusal(parserCode: string | undefined): { readonly code: ApiErrorCode; readonly message: string } {
  switch (parserCode) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers_too_large', message: 'The headers are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', message: 'The request did not arrive whole in time.' };
    default:
      return { code: 'invalid_input', message: 'This is not a valid HTTP request.' };
  }
}
