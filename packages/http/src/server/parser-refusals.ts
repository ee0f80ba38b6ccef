import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, type ApiErrorCode } from '@artist-watch/contracts/api/errors';
import { problemAnswer } from '../answer/problem.js';
import type { RequestContext } from '../request-context.js';

/** For the client to read a rejection before its connection is destroyed. */
const LINGER_MS = 2_000;

export interface ParserRefusals {
  readonly inHand: ContextsInHand;
  /** Called with what was refused before it was a request. */
  readonly onRefusal: (code: ApiErrorCode, reason: string) => void;
}

/**
 * Answers in our shape what Node's HTTP parser refuses and what does not arrive in time. Before there is a request nobody
 * is known, so these are the answers without rate headers (docs/reference/api.md); what happens to the body of a request
 * is an answer to that request, like any other.
 */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, parts: ParserRefusals): void {
  const reason = error.code ?? error.message;
  const context = parts.inHand.on(socket);
  if (!socket.writable) {
    socket.destroy();
  } else if (context) {
    endRequest(context, socket, reason);
  } else {
    const refusal = refusalOf(reason);
    parts.onRefusal(refusal.code, reason);
    refuse(socket, refusal);
  }
}

function endRequest(context: RequestContext, socket: Socket, reason: string): void {
  const { request, response } = context;
  if (response.headersSent) {
    // An answer that has begun cannot be taken back, and what follows it would be read as part of it.
    if (response.writableEnded) socket.destroySoon();
    else socket.destroy();
    return;
  }
  response.setHeader('Connection', 'close');
  // A whole request is answered as it deserves, and was the last one.
  if (request.complete) return;
  const { code, message } = refusalOf(reason);
  context.breakBy(new ApiError(code, message, { operatorText: reason }));
}

interface ParserRefusal {
  readonly code: ApiErrorCode;
  readonly message: string;
}

/** By what Node says. */
const REFUSALS = new Map<string, ParserRefusal>([
  [
    'HPE_HEADER_OVERFLOW',
    { code: 'headers_too_large', message: 'The address and the headers together are over 16 KiB.' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { code: 'request_timeout', message: 'The request did not arrive whole in time.' }],
]);

function refusalOf(reason: string): ParserRefusal {
  const unread: ParserRefusal = { code: 'invalid_input', message: 'This is not an HTTP request that can be read.' };
  return REFUSALS.get(reason) ?? unread;
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
  // A client that keeps sending would keep the half-closed connection: every byte restarts the silence timeout.
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

/** The request that each connection was last in: trouble with the bytes of a connection is trouble of that one. */
export class ContextsInHand {
  readonly #bySocket = new WeakMap<Duplex, RequestContext>();

  begin(context: RequestContext): void {
    this.#bySocket.set(context.request.socket, context);
  }

  /** Undefined when the connection is between two requests, or has had none. */
  on(socket: Duplex): RequestContext | undefined {
    const context = this.#bySocket.get(socket);
    const isOver = context?.request.complete && context.response.writableFinished;
    return isOver ? undefined : context;
  }
}
