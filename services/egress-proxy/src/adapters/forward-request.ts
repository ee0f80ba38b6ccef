import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { TunnelEnd } from '../application/ports.js';
import type { Refusal } from '../application/refusal.js';
import type { AbsoluteTarget } from '../application/request-target.js';
import { requestHeaders, responseHeaders } from './forwarded-headers.js';
import { refuseOnResponse } from './refusal-answer.js';
import type { Passage } from './tunnel-host.js';

export interface ForwardOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: AbsoluteTarget;
  /** Connected to the address that was checked. */
  readonly destination: Socket;
  readonly idleTimeoutMs: number;
}

const MAX_ANSWER_HEADER_BYTES = 16_384;

/** Passes one request in absolute form on over its own connection, and the answer back, both as streams. */
export function forwardRequest(options: ForwardOptions): Passage {
  const { request, response, target, destination, idleTimeoutMs } = options;
  const method = request.method ?? 'GET';
  let end: TunnelEnd = 'finished';
  let isOver = false;

  // Without an agent Node takes the connection as it is.
  const outgoing = sendRequest({
    createConnection: () => destination,
    method,
    path: target.path,
    headers: requestHeaders(request.rawHeaders, target.authority, method),
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
  });

  const giveUp = (reason: TunnelEnd, refusal: Refusal) => {
    if (isOver) return;
    isOver = true;
    end = reason;
    if (response.headersSent) response.destroy();
    else refuseOnResponse(response, refusal);
    outgoing.destroy();
  };
  const onIdle = () => giveUp('idle', 'connection_timed_out');
  const onLost = () => giveUp('destination_lost', 'connection_failed');

  destination.setTimeout(idleTimeoutMs, onIdle);
  response.setTimeout(idleTimeoutMs, onIdle);
  outgoing.on('error', onLost);
  outgoing.on('close', onLost);
  outgoing.on('response', (answer) => {
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer.rawHeaders));
    // Complete: what the connection still does is of no concern to the answer.
    answer.once('end', () => {
      isOver = answer.complete;
    });
    answer.on('error', onLost);
    answer.pipe(response);
  });
  request.pipe(outgoing);

  const ended = new Promise<TunnelEnd>((resolve) => {
    response.once('close', () => {
      isOver = true;
      if (!response.writableFinished && end === 'finished') end = 'client_lost';
      outgoing.destroy();
      destination.destroy();
      resolve(end);
    });
  });
  const cut = (reason: TunnelEnd) => {
    end = reason;
    response.destroy();
  };
  return { ended, cut };
}
