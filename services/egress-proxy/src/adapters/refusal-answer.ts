import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { EGRESS_ERRORS } from '@artist-watch/domain/delivery/egress-error';
import type { ClientLack } from '../application/client-access.js';
import type { Refusal } from '../application/dial-failure.js';

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

/** How long a refused client may take to read the answer and close. */
const LINGER_MS = 2_000;

/** Answers a request that has no ServerResponse (CONNECT, or bytes that are no request) and closes the connection. */
export function refuseOnSocket(socket: Duplex, refusal: Refusal, status = STATUS_BY_REFUSAL[refusal]): void {
  answerOnSocket(socket, status, headersFor(refusal), bodyFor(refusal));
}

/**
 * Refuses who may not send through this proxy. Without `X-Egress-Error`, which speaks of destinations: a worker takes
 * this for a fault on our side, and counts it against no receiver.
 */
export function refuseClient(socket: Duplex, lack: ClientLack): void {
  if (lack === 'address') {
    answerOnSocket(socket, 403, PLAIN, 'This address may not send through this proxy.\n');
  } else {
    const headers = { 'Proxy-Authenticate': 'Basic realm="egress", charset="UTF-8"', ...PLAIN };
    answerOnSocket(socket, 407, headers, 'Send the credentials of this proxy in Proxy-Authorization.\n');
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
  // A close with bytes still unread becomes a reset, which may overtake the answer: read until the client has closed.
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

/**
 * The same bytes for every request that is refused for the same reason: nothing of the host, of its addresses or of
 * what listens there is in them.
 */
function bodyFor(refusal: Refusal): string {
  return `${EGRESS_ERRORS[refusal].reason}\n`;
}
