import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ApiErrorCode } from '@artist-watch/contracts/api/errors';
import { problemAnswer } from '../answer/problem.js';
import { currentRequest, type RequestContext } from '../request-context.js';

const LINGER_MS = 2_000;

export type OnRefusal = (code: ApiErrorCode, reason: string) => void;

/**
 * Responds in our error format when Node's HTTP parser rejects the input. The caller is unknown, so the response has no
 * rate limit headers (docs/api/requests.md).
 */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, onRefusal: OnRefusal): void {
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
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { code: 'request_timeout', message: 'The request was not completely received in time.' },
  ],
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
