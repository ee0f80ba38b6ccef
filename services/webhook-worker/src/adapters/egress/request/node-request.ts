import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import type { SendPhase, SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { type Deadline, startDeadline } from '@artist-watch/runtime/clock';
import type { EgressRoute } from '../egress-route.js';
import { peerOf } from '../tunnel-error.js';
import { boundInterimAnswers, failureOf, type MakeRequest, type RequestTimeouts, readExcerpt } from './make-request.js';
import { StatusLineReader } from './status-line.js';

/** Makes requests with Node's own client. */
export function createNodeRequest({ responseMs, totalMs }: RequestTimeouts): MakeRequest {
  return (route, request, isFresh = false) =>
    new Promise((resolve) => {
      let sent: ClientRequest;
      try {
        sent = openRequest(route, request, isFresh);
      } catch (error) {
        resolve({ result: failureOf(error), responseExcerpt: null });
        return;
      }
      let phase: SendPhase = 'request';
      let isAnswered = false;
      const end = (result: SendResult, responseExcerpt: string | null = null, peer = peerOf(sent.socket)) => {
        overall.cancel();
        answering?.cancel();
        connection?.off('data', received.read);
        resolve({ result, responseExcerpt, peer, isUnansweredReuse: sent.reusedSocket && !received.hasBytes });
      };
      /** A malformed, endless or interrupted head costs the connection only (RFC 9112, sections 2.2 and 6.3). */
      const endWithoutResponse = (failure: SendResult, peer?: string) => {
        const { status } = received;
        end(status === undefined ? failure : { kind: 'answered', status }, null, peer);
        sent.destroy();
      };
      const giveUp = () => endWithoutResponse({ kind: 'timed_out', phase });
      const received = new StatusLineReader();
      let connection: Socket | undefined;
      const overall = startDeadline(totalMs, giveUp);
      let answering: Deadline | undefined;
      sent.once('socket', (socket) => {
        // Before the listener of Node, which ends the request with the chunk that it cannot parse.
        socket.prependListener('data', received.read);
        connection = socket;
        answering = startDeadline(responseMs, giveUp);
      });
      sent.once('finish', () => {
        phase = 'response';
        if (!isAnswered) answering?.restart();
      });
      sent.once('response', (response) => {
        isAnswered = true;
        overall.cancel();
        answering?.cancel();
        void readExcerpt(response).then(({ text, complete }) => {
          // Who answers before it has read the request may never read the rest of it.
          if (!complete || !sent.writableFinished) sent.destroy();
          end(
            { kind: 'answered', status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] },
            text,
          );
        });
      });
      boundInterimAnswers(sent, () => end({ kind: 'answered', status: 101 }));
      sent.on('error', (error) => {
        // Later errors belong to a body that nobody waits for.
        if (!isAnswered) endWithoutResponse(failureOf(error), peerOf(sent.socket, error));
      });
      sent.end(request.body);
    });
}

/** @throws {TypeError} when the address is no URL. */
function openRequest({ agents }: EgressRoute, request: WebhookRequest, isFresh: boolean): ClientRequest {
  // Empty port: that of the scheme, which the agent knows. `Host` is without it then (RFC 9110 section 7.2).
  const { protocol, hostname, port, pathname, search, host: authority } = new URL(request.url);
  // As a list, Node writes them as they are; those of an object it would file by their names first.
  const headers = ['Host', authority];
  for (const [name, value] of Object.entries(request.headers)) headers.push(name, value);
  headers.push('Content-Length', String(request.body.length));
  const options = { host: hostname, port, path: `${pathname}${search}`, method: 'POST', headers };
  const agent = protocol === 'https:' ? agents.https : agents.http;
  const { request: open } = protocol === 'https:' ? https : http;
  if (!isFresh) return open({ agent, ...options });
  // Without an agent Node takes no idle connection, and closes this one after the response.
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return open({ createConnection: agent.createConnection.bind(agent), defaultPort, ...options });
}
