import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import type { SendPhase, SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { type Deadline, startDeadline } from '@artist-watch/runtime/clock';
import type { EgressRoute } from '../egress-route.js';
import { findPeer } from '../tunnel-error.js';
import {
  limitInformational,
  type MakeRequest,
  type RequestTimeouts,
  readExcerpt,
  StatusLineReader,
  toSendResult,
} from './make-request.js';

/** Creates a function that sends requests with Node's HTTP client. */
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
       * Ends a request whose response could not be parsed. If a status line arrived, it still decides the result. After
       * headers that are malformed, endless or interrupted, only the connection is lost (RFC 9112, sections 2.2 and
       * 6.3).
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
        // This listener must run before Node's own, which ends the request at the first chunk that it cannot parse.
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
        // After a response, errors concern only its body.
        if (!hasResponse) endWithoutResponse(toSendResult(error), findPeer(sent.socket, error));
      });
      sent.end(request.body);
    });
}

/** @throws {TypeError} if the URL is invalid. */
function openRequest({ agents }: EgressRoute, request: WebhookRequest, isFresh: boolean): ClientRequest {
  // If the port is the default of the scheme, it is empty, and `Host` omits it too (RFC 9110, section 7.2).
  const { protocol, hostname, port, pathname, search, host: authority } = new URL(request.url);
  // Pass the headers as a list. Node writes a list unchanged, but first copies an object's headers into a map keyed by
  // name.
  const headers = ['Host', authority];
  for (const [name, value] of Object.entries(request.headers)) headers.push(name, value);
  headers.push('Content-Length', String(request.body.length));
  const options = { host: hostname, port, path: `${pathname}${search}`, method: 'POST', headers };
  const agent = protocol === 'https:' ? agents.https : agents.http;
  const { request: open } = protocol === 'https:' ? https : http;
  if (!isFresh) return open({ agent, ...options });
  // Without an agent, Node opens a new connection instead of reusing an idle one, and closes it after the response.
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return open({ createConnection: agent.createConnection.bind(agent), defaultPort, ...options });
}
