import type { ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressRoute } from '../egress-route.js';
import { codeOf, findTunnelError } from '../tunnel-error.js';

/** One request through one proxy. */
export interface RequestReport {
  readonly result: SendResult;
  readonly responseExcerpt: string | null;
  /** The address of the proxy that took the connection, where one did. */
  readonly peer?: string | undefined;
  /** It left on a connection that an earlier request had used, which ended before any byte of the response. */
  readonly isUnansweredReuse?: boolean;
}

/**
 * Makes one POST: no retry, no redirect, no decompression. The status line decides; of the body a little is kept, and
 * the rest is not waited for. Never rejects.
 */
export type MakeRequest = (
  route: EgressRoute,
  request: WebhookRequest,
  /** Opens a new connection. */
  isFresh?: boolean,
) => Promise<RequestReport>;

export interface RequestTimeouts {
  /** From the moment the request was sent until its status line (docs/reference/webhooks.md: 10 s). */
  readonly responseMs: number;
  /** Over all: tunnel, handshake, request and answer. */
  readonly totalMs: number;
}

/** RFC 9110 section 15.2 allows any number; those who mean well send one or two. */
export const MAX_INFORMATIONAL = 16;

/**
 * Bounds the informational answers before the final one. Node parses each and throws it away, so a flood of them would take
 * all of the processor. Switching protocols (101) is a final answer, to a question nobody asked.
 *
 * @param onSwitch the status line said 101.
 */
export function boundInterimAnswers(sent: ClientRequest, onSwitch: () => void): void {
  let count = 0;
  sent.on('information', () => {
    count += 1;
    if (count > MAX_INFORMATIONAL) sent.destroy(new InformationalFlood());
  });
  sent.once('upgrade', (_answer, socket) => {
    onSwitch();
    socket.destroy();
  });
}

class InformationalFlood extends Error {
  readonly code = 'HPE_INFORMATIONAL_FLOOD';
}

/** What it means that a request ended with an error of Node's HTTP client, or one that wraps it. */
export function failureOf(error: unknown): SendResult {
  const tunnelError = findTunnelError(error);
  if (tunnelError) return tunnelError.result;
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'connection_failed', failure: 'headers_too_large' };
  // What ended in the middle of its headers was no whole answer, but what there was of it was HTTP.
  if (code === 'HPE_INVALID_EOF_STATE') return { kind: 'connection_failed', failure: 'closed' };
  if (code.startsWith('HPE_')) return { kind: 'connection_failed', failure: 'malformed_answer' };
  // With TLS 1.3 a receiver refuses the handshake (for want of a certificate of ours) when it is over for this side.
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return { kind: 'tls_failed', code };
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

/** HTTP clients wrap what Node throws. */
function isFromSystem(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof cause === 'object' && cause !== null && 'syscall' in cause;
}

const MAX_BYTES = 4_096;
/** The outcome is known by the status line; a slow body is not worth a slot. */
const PATIENCE_MS = 250;

export interface Excerpt {
  /** Null when there was no body. */
  readonly text: string | null;
  /** Was the answer read to its end, so that its connection can be used again? */
  readonly complete: boolean;
}

/** Reads at most 4 KiB of a body, for at most a quarter of a second. Never rejects. */
export function readExcerpt(body: Readable): Promise<Excerpt> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (complete: boolean) => {
      clearTimeout(patience);
      body.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak);
      body.on('error', () => undefined);
      resolve({ text: size === 0 ? null : safeText(Buffer.concat(chunks)), complete });
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, MAX_BYTES - size));
      size += Math.min(chunk.length, MAX_BYTES - size);
      if (size >= MAX_BYTES) finish(false);
    };
    const onEnd = () => finish(true);
    const onBreak = () => finish(false);
    const patience = setTimeout(onBreak, PATIENCE_MS);
    body.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

/**
 * Text that a database and a page can hold: UTF-8 with what is not replaced, without NUL and other controls (a receiver
 * chooses these bytes, and PostgreSQL refuses NUL).
 */
function safeText(bytes: Buffer): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  return bytes.toString('utf8').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd');
}
