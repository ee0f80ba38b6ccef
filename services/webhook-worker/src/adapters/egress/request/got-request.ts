import type { ClientRequest } from 'node:http';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { startDeadline } from '@artist-watch/runtime/clock';
import got, { AbortError, type Got, TimeoutError } from 'got';
import { peerOf } from '../tunnel-error.js';
import {
  boundInterimAnswers,
  failureOf,
  type MakeRequest,
  type RequestReport,
  type RequestTimeouts,
  readExcerpt,
} from './make-request.js';

/** Makes requests with got. */
export function createGotRequest({ responseMs, totalMs }: RequestTimeouts): MakeRequest {
  const client: Got = got.extend({
    method: 'POST',
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    isStream: true,
    timeout: { response: responseMs, send: responseMs },
  });

  return (route, request) =>
    new Promise((resolve) => {
      // got's own clock for the whole request stands still while the agent makes a connection.
      const total = new AbortController();
      const deadline = startDeadline(totalMs, () => total.abort());
      const finish = (report: RequestReport) => {
        deadline.cancel();
        resolve(report);
      };
      const stream = client.stream(request.url, {
        headers: request.headers,
        body: request.body,
        agent: route.agents,
        signal: total.signal,
      });
      // got hands an answer on a little later, and not at all when its body breaks meanwhile. Its status stands.
      let status: number | undefined;
      let retryAfter: string | undefined;
      let sent: ClientRequest | undefined;
      stream.once('request', (made: ClientRequest) => {
        sent = made;
        made.once('response', (response) => {
          status = response.statusCode;
          retryAfter = response.headers['retry-after'];
        });
        boundInterimAnswers(made, () => {
          status = 101;
        });
      });
      stream.once('response', () => {
        void readExcerpt(stream).then(({ text, complete }) => {
          // Who answers before it has read the request may never read the rest of it.
          if (!complete || !sent?.writableFinished) stream.destroy();
          finish({
            result: { kind: 'answered', status: status ?? 0, retryAfter },
            responseExcerpt: text,
            peer: peerOf(sent?.socket),
          });
        });
      });
      stream.once('error', (error) => {
        // Later errors belong to a body that nobody waits for.
        stream.on('error', () => undefined);
        const result: SendResult = status === undefined ? sendResultOf(error) : { kind: 'answered', status };
        finish({ result, responseExcerpt: null, peer: peerOf(sent?.socket, error) });
      });
      stream.resume();
    });
}

function sendResultOf(error: unknown): SendResult {
  if (error instanceof TimeoutError)
    return { kind: 'timed_out', phase: error.event === 'send' ? 'request' : 'response' };
  if (error instanceof AbortError) return { kind: 'timed_out', phase: 'response' };
  return failureOf(error);
}
