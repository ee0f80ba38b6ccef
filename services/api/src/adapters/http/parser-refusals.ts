import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { API_ERRORS, type ApiErrorCode } from '@artist-watch/contracts/api/errors';
import { errorAnswer } from './problem.js';

/**
 * Answers in our shape what never becomes a request: what Node's HTTP parser refuses, what does not arrive in time, and
 * CONNECT. Nobody is known at this point, so these are the answers without rate headers (DESIGN section 4, errors).
 *
 * @param onRefusal told of each.
 */
export function answerParserRefusals(server: Server, onRefusal: (code: ApiErrorCode, reason: string) => void): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const reason = error.code ?? error.message;
    const code = codeOf(reason);
    if (reason !== 'ECONNRESET') onRefusal(code, reason);
    refuse(socket, code);
  });
  server.on('connect', (_request, socket) => {
    onRefusal('method_not_allowed', 'CONNECT');
    refuse(socket, 'method_not_allowed', { Allow: 'GET, HEAD, POST, PATCH, DELETE' });
  });
}

function codeOf(reason: string): ApiErrorCode {
  switch (reason) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    default:
      return 'invalid_input';
  }
}

const MESSAGES: Partial<Record<ApiErrorCode, string>> = {
  headers_too_large: 'The address and the headers together are over 16 KiB.',
  request_timeout: 'The request did not arrive whole in time.',
  method_not_allowed: 'This service is no proxy.',
};

function refuse(socket: Duplex, code: ApiErrorCode, headers: Readonly<Record<string, string>> = {}): void {
  // An answer that has begun cannot be taken back: what follows it would be read as part of it.
  const { _httpMessage: begun } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (!socket.writable || begun?.headersSent) {
    socket.destroy();
    return;
  }
  const { json = '' } = errorAnswer(code, MESSAGES[code] ?? 'This is not an HTTP request that can be read.');
  const { status } = API_ERRORS[code];
  const lines = Object.entries({
    'X-Request-Id': randomUUID(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(json)),
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', json].join('\r\n'));
}
