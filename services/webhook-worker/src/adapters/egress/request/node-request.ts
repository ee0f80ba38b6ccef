import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import type { SendPhase, SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { type Deadline, startDeadline } from '@artist-watch/runtime/clock';
import type { EgressRoute } from '../egress-route.js';
import { peerOf } from '../tunnel-error.js';
import { boundInterimAnswers, failureOf, type MakeRequest, type RequestTimeouts, readExcerpt } from './make-request.js';

/** Makes requests with Node's own client. */
export function createNodeRequest({ responseMs, totalMs }: RequestTimeouts): MakeRequest {
  return (route, request) =>
    new Promise((resolve) => {
      let sent: ClientRequest;
      try {
        sent = openRequest(route, request);
      } catch (error) {
        resolve({ result: failureOf(error), responseExcerpt: null });
        return;
      }
      let phase: SendPhase = 'request';
      let isAnswered = false;
      const end = (result: SendResult, responseExcerpt: string | null = null, peer = peerOf(sent.socket)) => {
        overall.cancel();
        answering?.cancel();
        resolve({ result, responseExcerpt, peer });
      };
      const giveUp = () => {
        end({ kind: 'timed_out', phase });
        sent.destroy();
      };
      const overall = startDeadline(totalMs, giveUp);
      let answering: Deadline | undefined;
      sent.once('socket', () => {
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
        if (!isAnswered) end(failureOf(error), null, peerOf(sent.socket, error));
      });
      sent.end(request.body);
    });
}

/** @throws {TypeError} when the address is no URL. */
function openRequest({ agents }: EgressRoute, request: WebhookRequest): ClientRequest {
  // Empty port: that of the scheme, which the agent knows. `Host` is without it then (RFC 9110 section 7.2).
  const { protocol, hostname, port, pathname, search, host: authority } = new URL(request.url);
  // As a list, Node writes them as they are; those of an object it would file by their names first.
  const headers = ['Host', authority];
  for (const [name, value] of Object.entries(request.headers)) headers.push(name, value);
  headers.push('Content-Length', String(request.body.length));
  const options = { host: hostname, port, path: `${pathname}${search}`, method: 'POST', headers };
  return protocol === 'https:'
    ? https.request({ agent: agents.https, ...options })
    : http.request({ agent: agents.http, ...options });
}
