import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerTo, REFUSAL_HEADER, type Refusal } from '../application/refusal.js';

/** How long a refused client may take to read the answer and close. */
const LINGER_MS = 2_000;

/** Answers a request that has no ServerResponse (CONNECT, or bytes that are no request) and closes the connection. */
export function refuseOnSocket(socket: Duplex, refusal: Refusal, status = answerTo(refusal).status): void {
  const { body } = answerTo(refusal);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = [
    `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? 'Refused'}`,
    ...Object.entries(headersFor(refusal, body)).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // A close with bytes still unread becomes a reset, which may overtake the answer: read until the client has closed.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}

export function refuseOnResponse(response: ServerResponse, refusal: Refusal, status = answerTo(refusal).status): void {
  const { body } = answerTo(refusal);
  response.sendDate = false;
  response.writeHead(status, REASON_PHRASES[status], headersFor(refusal, body));
  response.end(body);
}

function headersFor(refusal: Refusal, body: string): Record<string, string> {
  return {
    [REFUSAL_HEADER]: refusal,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
