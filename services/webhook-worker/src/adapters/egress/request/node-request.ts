import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { WebhookRequest } from '@artist-watch/delivery/decide/ports';
import type { SendPhase, SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { type Deadline, startDeadline } from '@artist-watch/runtime/clock';
import { LRUCache } from 'lru-cache';
import type { EgressRoute } from '../egress-route.js';
import { peerOf } from '../tunnel-error.js';
import { boundInterimAnswers, failureOf, type MakeRequest, type RequestTimeouts, readExcerpt } from './make-request.js';

/** Makes requests with Node's own client. */
export function createNodeRequest({ responseMs, totalMs }: RequestTimeouts): MakeRequest {
  const targetOf = createTargetReader();
  return (route, request) =>
    new Promise((resolve) => {
      let sent: ClientRequest;
      try {
        sent = openRequest(route, targetOf(request.url), request);
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

function openRequest({ agents }: EgressRoute, target: RequestTarget, request: WebhookRequest): ClientRequest {
  const { host, port, path, authority } = target;
  // As a list, Node writes them as they are; those of an object it would file by their names first.
  const headers = ['Host', authority];
  for (const [name, value] of Object.entries(request.headers)) headers.push(name, value);
  headers.push('Content-Length', String(request.body.length));
  return target.isTls
    ? https.request({ host, port, path, method: 'POST', headers, agent: agents.https })
    : http.request({ host, port, path, method: 'POST', headers, agent: agents.http });
}

/** Where a request goes, in the options of Node's client. */
interface RequestTarget {
  readonly isTls: boolean;
  readonly host: string;
  /** Empty for that of the scheme, which the agent knows. */
  readonly port: string;
  readonly path: string;
  /** The value of `Host`: without a port where it is that of the scheme (RFC 9110 section 7.2). */
  readonly authority: string;
}

const MAX_KNOWN = 10_000;

/**
 * Reads the addresses of destinations, each once as long as it is in use.
 *
 * @throws {TypeError} for what is no URL.
 */
function createTargetReader(): (url: string) => RequestTarget {
  const known = new LRUCache<string, RequestTarget>({ max: MAX_KNOWN });
  return (url) => {
    let target = known.get(url);
    if (!target) {
      const parsed = new URL(url);
      target = {
        isTls: parsed.protocol === 'https:',
        host: parsed.hostname,
        port: parsed.port,
        path: `${parsed.pathname}${parsed.search}`,
        authority: parsed.host,
      };
      known.set(url, target);
    }
    return target;
  };
}
