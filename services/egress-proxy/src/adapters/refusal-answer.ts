import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { EGRESS_ERRORS } from '@artist-watch/domain/delivery/egress-error';
import type { Refusal } from '../application/dial-failure.js';
import type { MissingRight } from './tunnel-journal.js';

const STATUS_BY_REFUSAL: Readonly<Record<Refusal, number>> = {
  bad_request: 400,
  forbidden_address: 403,
  forbidden_port: 403,
  internal: 500,
  name_not_found: 502,
  name_lookup_failed: 502,
  connection_refused: 502,
  connection_failed: 502,
  overloaded: 503,
  connection_timed_out: 504,
};

const LINGER_MS = 2_000;

export function refuseOnSocket(socket: Duplex, refusal: Refusal, status = STATUS_BY_REFUSAL[refusal]): void {
  answerOnSocket(socket, status, headersFor(refusal), bodyFor(refusal));
}

/** Omits `X-Egress-Error`, so that workers don't count the rejection against the receiver. */
export function refuseClient(socket: Duplex, lack: MissingRight): void {
  if (lack === 'address') {
    answerOnSocket(socket, 403, PLAIN, 'This IP address is not allowed to use this proxy.\n');
  } else {
    const headers = { 'Proxy-Authenticate': 'Basic realm="egress", charset="UTF-8"', ...PLAIN };
    answerOnSocket(socket, 407, headers, 'Send the credentials for this proxy in the Proxy-Authorization header.\n');
  }
}

function answerOnSocket(socket: Duplex, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Closing a socket while it has unread bytes would reset the connection, and the client might lose the response.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}

export function refuseOnResponse(
  response: ServerResponse,
  refusal: Refusal,
  status = STATUS_BY_REFUSAL[refusal],
): void {
  const body = bodyFor(refusal);
  response.sendDate = false;
  const headers = { ...headersFor(refusal), 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, STATUS_CODES[status], headers);
  response.end(body);
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' } as const;

function headersFor(refusal: Refusal): Record<string, string> {
  return { 'X-Egress-Error': refusal, ...PLAIN };
}

/** The body reveals nothing about the host, its addresses or its services. */
function bodyFor(refusal: Refusal): string {
  return `${EGRESS_ERRORS[refusal].reason}\n`;
}
