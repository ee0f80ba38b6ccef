import type { IncomingMessage } from 'node:http';
import type { SendResult } from '@artist-watch/domain/attempt-classification';
import got, { AbortError, type Got, TimeoutError } from 'got';
import type { WebhookRequest } from '../../application/ports.js';
import type { EgressRoute } from './egress-route.js';
import { readExcerpt } from './response-excerpt.js';
import { codeOf, findTunnelError } from './tunnel-error.js';

/** One request through one proxy. */
export interface RequestReport {
  readonly result: SendResult;
  readonly responseExcerpt: string | null;
}

export type MakeRequest = (route: EgressRoute, request: WebhookRequest) => Promise<RequestReport>;

export interface RequestTimeouts {
  /** From the moment the request was sent until its status line (SPEC section 6: 10 s). */
  readonly responseMs: number;
  /** Over all: tunnel, handshake, request and answer. */
  readonly totalMs: number;
}

const SECOND_LOOK_MS = 50;

/**
 * Makes requests with got: no retry, no redirect, no decompression, no exception for a status. The status line decides;
 * of the body a little is kept, and the rest is not waited for.
 */
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
      // What is in the sockets' buffers is looked at first: a process that was frozen wakes with its timers overdue.
      let timer = setTimeout(() => {
        timer = setTimeout(() => total.abort(), SECOND_LOOK_MS);
      }, totalMs);
      const finish = (report: RequestReport) => {
        clearTimeout(timer);
        resolve(report);
      };
      const stream = client.stream(request.url, {
        headers: request.headers,
        body: request.body,
        agent: route.agents,
        signal: total.signal,
      });
      stream.once('response', (response: IncomingMessage) => {
        void readExcerpt(stream).then(({ text, complete }) => {
          if (!complete) stream.destroy();
          finish({ result: { kind: 'answered', status: response.statusCode ?? 0 }, responseExcerpt: text });
        });
      });
      stream.once('error', (error) => {
        // Later errors belong to a body that nobody waits for.
        stream.on('error', () => undefined);
        finish({ result: sendResultOf(error), responseExcerpt: null });
      });
      stream.resume();
    });
}

function sendResultOf(error: unknown): SendResult {
  const tunnelError = findTunnelError(error);
  if (tunnelError) return tunnelError.result;
  if (error instanceof TimeoutError)
    return { kind: 'timed_out', phase: error.event === 'send' ? 'request' : 'response' };
  if (error instanceof AbortError) return { kind: 'timed_out', phase: 'response' };
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return { kind: 'connection_failed', failure: 'malformed_answer' };
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return { kind: 'connection_failed', failure: 'reset' };
    case 'ERR_STREAM_PREMATURE_CLOSE':
    case 'ERR_BODY_PARSE_FAILURE':
      return { kind: 'connection_failed', failure: 'closed' };
    default:
      return { kind: 'internal_error', message: `${code}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
