import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import type { SendPhase, SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { type Deadline, startDeadline } from '@artist-watch/runtime/clock';
import type { EgressRoute } from '../egress-route.js';
import { findPeer } from '../open-tunnel.js';
import {
  limitInformational,
  type MakeRequest,
  type RequestTimeouts,
  readExcerpt,
  StatusLineReader,
  toSendResult,
} from './make-request.js';

export function createNodeRequest({ responseMs, totalMs }: RequestTimeouts): MakeRequest {
  return (route, request, isFresh = false) =>
    new Promise((resolve) => {
      let sent: ClientRequest;
      try {
        sent = openRequest(route, request, isFresh);
      } catch (error) {
        resolve({ result: toSendResult(error), responseExcerpt: null });
        return;
      }
      let phase: SendPhase = 'request';
      let hasResponse = false;
      const end = (result: SendResult, responseExcerpt: string | null = null, peer = findPeer(sent.socket)) => {
        totalDeadline.cancel();
        responseDeadline?.cancel();
        connection?.off('data', received.read);
        resolve({ result, responseExcerpt, peer, isUnansweredReuse: sent.reusedSocket && !received.hasBytes });
      };
      /**
       * A status line decides the result even if the headers after it are malformed (RFC 9112, sections 2.2 and 6.3).
       */
      const endWithoutResponse = (failure: SendResult, peer?: string) => {
        const { status } = received;
        end(status === undefined ? failure : { kind: 'answered', status }, null, peer);
        sent.destroy();
      };
      const giveUp = () => endWithoutResponse({ kind: 'timed_out', phase });
      const received = new StatusLineReader();
      let connection: Socket | undefined;
      const totalDeadline = startDeadline(totalMs, giveUp);
      let responseDeadline: Deadline | undefined;
      sent.once('socket', (socket) => {
        // Node's own listener ends the request at the first chunk that it cannot parse, so this one must run first.
        socket.prependListener('data', received.read);
        connection = socket;
        responseDeadline = startDeadline(responseMs, giveUp);
      });
      sent.once('finish', () => {
        phase = 'response';
        if (!hasResponse) responseDeadline?.restart();
      });
      sent.once('response', async (response) => {
        hasResponse = true;
        totalDeadline.cancel();
        responseDeadline?.cancel();
        const { text, complete } = await readExcerpt(response);
        // A receiver that responds before it has read the whole request may never read the rest.
        if (!complete || !sent.writableFinished) sent.destroy();
        end({ kind: 'answered', status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }, text);
      });
      limitInformational(sent, () => end({ kind: 'answered', status: 101 }));
      sent.on('error', (error) => {
        if (!hasResponse) endWithoutResponse(toSendResult(error), findPeer(sent.socket, error));
      });
      sent.end(request.body);
    });
}

/** @throws {TypeError} if the URL is invalid. */
function openRequest({ agents }: EgressRoute, request: WebhookRequest, isFresh: boolean): ClientRequest {
  // `URL` and `Host` omit the scheme's default port (RFC 9110, section 7.2).
  const { protocol, hostname, port, pathname, search, host: authority } = new URL(request.url);
  // Node copies headers of an object into a map, but writes a list unchanged.
  const headers = ['Host', authority];
  for (const [name, value] of Object.entries(request.headers)) headers.push(name, value);
  headers.push('Content-Length', String(request.body.length));
  const options = { host: hostname, port, path: `${pathname}${search}`, method: 'POST', headers };
  const agent = protocol === 'https:' ? agents.https : agents.http;
  const { request: open } = protocol === 'https:' ? https : http;
  if (!isFresh) return open({ agent, ...options });
  // Without an agent, Node opens a new connection and closes it after the response.
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return open({ createConnection: agent.createConnection.bind(agent), defaultPort, ...options });
}
