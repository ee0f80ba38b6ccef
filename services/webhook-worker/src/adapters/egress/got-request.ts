import type { ClientRequest } from 'node:http';
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
/** RFC 9110 section 15.2 allows any number; those who mean well send one or two. */
const MAX_INFORMATIONAL = 16;

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
      // got hands an answer on a little later, and not at all when its body breaks meanwhile. Its status stands.
      let status: number | undefined;
      stream.once('request', (sent: ClientRequest) => {
        sent.once('response', (response) => {
          status = response.statusCode;
        });
        limitInformational(sent);
      });
      stream.once('response', () => {
        void readExcerpt(stream).then(({ text, complete }) => {
          if (!complete) stream.destroy();
          finish({ result: { kind: 'answered', status: status ?? 0 }, responseExcerpt: text });
        });
      });
      stream.once('error', (error) => {
        // Later errors belong to a body that nobody waits for.
        stream.on('error', () => undefined);
        const result: SendResult = status === undefined ? sendResultOf(error) : { kind: 'answered', status };
        finish({ result, responseExcerpt: null });
      });
      stream.resume();
    });
}

/** Each one is parsed and thrown away, so that a flood of them would cost nothing but all of the processor. */
function limitInformational(sent: ClientRequest): void {
  let count = 0;
  sent.on('information', () => {
    count += 1;
    if (count > MAX_INFORMATIONAL) sent.destroy(new InformationalFlood());
  });
}

class InformationalFlood extends Error {
  readonly code = 'HPE_INFORMATIONAL_FLOOD';
}

function sendResultOf(error: unknown): SendResult {
  const tunnelError = findTunnelError(error);
  if (tunnelError) return tunnelError.result;
  if (error instanceof TimeoutError)
    return { kind: 'timed_out', phase: error.event === 'send' ? 'request' : 'response' };
  if (error instanceof AbortError) return { kind: 'timed_out', phase: 'response' };
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'connection_failed', failure: 'headers_too_large' };
  // What ended in the middle of its headers was no whole answer, but what there was of it was HTTP.
  if (code === 'HPE_INVALID_EOF_STATE') return { kind: 'connection_failed', failure: 'closed' };
  if (code.startsWith('HPE_')) return { kind: 'connection_failed', failure: 'malformed_answer' };
  switch (code) {
    case 'ECONNRESET':
      // Node says so too when the other side closes in order; only a reset comes from a system call.
      return { kind: 'connection_failed', failure: isFromSystem(error) ? 'reset' : 'closed' };
    case 'EPIPE':
      return { kind: 'connection_failed', failure: 'reset' };
    case 'ERR_STREAM_PREMATURE_CLOSE':
    case 'ERR_BODY_PARSE_FAILURE':
      return { kind: 'connection_failed', failure: 'closed' };
    default:
      return { kind: 'internal_error', message: `${code}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** got wraps what Node throws. */
function isFromSystem(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof cause === 'object' && cause !== null && 'syscall' in cause;
}
