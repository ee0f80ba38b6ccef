import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import type { SendPhase, SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { type Deadline, startDeadline } from '@artist-watch/runtime/clock';
import type { EgressRoute } from './egress-route.js';
import { errorCode, peers, TunnelError } from './open-tunnel.js';

export interface RequestReport {
  readonly result: SendResult;
  readonly responseExcerpt: string | null;
  /** IP address of the proxy that accepted the connection. */
  readonly peer?: string | undefined;
  /** True if the request reused an idle connection and not a single byte of a response arrived. */
  readonly isUnansweredReuse?: boolean;
}

export interface RequestTimeouts {
  /** Maximum time from the end of the request to the status line (docs/api/webhooks.md: 10 s). */
  readonly responseMs: number;
  /** Maximum time for the tunnel, handshake, request and response combined. */
  readonly totalMs: number;
}

/**
 * Sends one POST request without retries, redirects or decompression. The status line decides the result. Never
 * rejects.
 */
export function makeRequest(
  route: EgressRoute,
  request: WebhookRequest,
  { responseMs, totalMs }: RequestTimeouts,
  isFresh = false,
): Promise<RequestReport> {
  return new Promise((resolve) => {
    let sent: ClientRequest;
    try {
      sent = openRequest(route, request, isFresh);
    } catch (error) {
      resolve({ result: toSendResult(error as Error), responseExcerpt: null });
      return;
    }
    let phase: SendPhase = 'request';
    let hasResponse = false;
    const end = (result: SendResult, responseExcerpt: string | null, error?: Error) => {
      totalDeadline.cancel();
      responseDeadline?.cancel();
      connection?.off('data', received.read);
      const peer = error instanceof TunnelError ? error.peer : connection && peers.get(connection);
      resolve({ result, responseExcerpt, peer, isUnansweredReuse: sent.reusedSocket && !received.hasBytes });
    };
    /** A status line decides the result even if malformed headers follow it (RFC 9112, sections 2.2 and 6.3). */
    const endWithoutResponse = (failure: SendResult, error?: Error) => {
      const { status } = received;
      end(status === undefined ? failure : { kind: 'answered', status }, null, error);
      sent.destroy();
    };
    const giveUp = () => endWithoutResponse({ kind: 'timed_out', phase });
    const received = new StatusLineReader();
    let connection: Socket | undefined;
    const totalDeadline = startDeadline(totalMs, giveUp);
    let responseDeadline: Deadline | undefined;
    sent.once('socket', (socket) => {
      // Node's own listener ends the request at the first chunk it can't parse, so this one must run first.
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
      // A receiver that responds before reading the whole request may never read the rest.
      if (!complete || !sent.writableFinished) sent.destroy();
      end({ kind: 'answered', status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }, text);
    });
    let informationalCount = 0;
    // A flood of informational responses would keep Node's parser busy.
    sent.on('information', () => {
      informationalCount += 1;
      if (informationalCount > MAX_INFORMATIONAL) endWithoutResponse(MALFORMED);
    });
    // Status 101 is treated as a final response.
    sent.once('upgrade', (_response, socket) => {
      end({ kind: 'answered', status: 101 }, null);
      socket.destroy();
    });
    sent.on('error', (error) => {
      if (!hasResponse) endWithoutResponse(toSendResult(error), error);
    });
    sent.end(request.body);
  });
}

/** @throws {TypeError} if the URL is invalid. */
function openRequest({ agents }: EgressRoute, request: WebhookRequest, isFresh: boolean): ClientRequest {
  // `URL` and `Host` omit the scheme's default port (RFC 9110, section 7.2).
  const { protocol, hostname, port, pathname, search, host: authority } = new URL(request.url);
  // Node copies headers into a map if they are an object, but writes a list as it is.
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

/** RFC 9110, section 15.2 allows any number of informational responses, but well-behaved servers send one or two. */
const MAX_INFORMATIONAL = 16;

/** Node's parser has the same limit for all headers (`--max-http-header-size`). */
const MAX_LINE_CHARS = 16_384;

/** RFC 9112, section 4. Many servers omit the reason phrase and the space before it. */
const STATUS_LINE = /^HTTP\/1\.\d ([1-9]\d\d)(?: .*)?$/;

/**
 * Reads the final status from the raw bytes, even if Node's parser rejects the headers. Lines may end with just LF (RFC
 * 9112, section 2.2).
 */
class StatusLineReader {
  /** Undefined if the status line is incomplete or not HTTP. */
  status: number | undefined;
  hasBytes = false;
  #line = '';
  #interimCount = 0;
  #state: 'status line' | 'interim headers' | 'done' = 'status line';

  readonly read = (chunk: Buffer): void => {
    this.hasBytes = true;
    for (let from = 0; this.#state !== 'done' && from < chunk.length; ) {
      const end = chunk.indexOf(0x0a, from);
      this.#line += chunk.toString('latin1', from, end === -1 ? Math.min(chunk.length, from + MAX_LINE_CHARS) : end);
      if (this.#line.length > MAX_LINE_CHARS) this.#state = 'done';
      if (end === -1) return;
      const line = this.#line.replace(/\r$/, '');
      this.#line = '';
      from = end + 1;
      if (this.#state === 'interim headers') {
        if (line === '') this.#state = 'status line';
        continue;
      }
      // Node's parser also skips empty lines before the status line.
      if (this.#state === 'done' || line === '') continue;
      const status = Number(STATUS_LINE.exec(line)?.[1]);
      const isInterim = status >= 100 && status < 200 && status !== 101;
      if (isInterim) this.#interimCount += 1;
      this.#state = isInterim && this.#interimCount <= MAX_INFORMATIONAL ? 'interim headers' : 'done';
      if (!isInterim && !Number.isNaN(status)) this.status = status;
    }
  };
}

const MALFORMED: SendResult = { kind: 'connection_failed', failure: 'malformed_answer' };

function toSendResult(error: NodeJS.ErrnoException): SendResult {
  if (error instanceof TunnelError) return error.result;
  const code = errorCode(error);
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'connection_failed', failure: 'headers_too_large' };
    // The connection was closed partway through valid headers.
    case 'HPE_INVALID_EOF_STATE':
      return { kind: 'connection_failed', failure: 'closed' };
    case 'ECONNRESET':
      // Node also uses ECONNRESET for a normal close, but only a real reset comes from a system call.
      return { kind: 'connection_failed', failure: error.syscall === undefined ? 'closed' : 'reset' };
    case 'EPIPE':
      return { kind: 'connection_failed', failure: 'reset' };
  }
  if (code.startsWith('HPE_')) return MALFORMED;
  // With TLS 1.3, receivers that require a client certificate only reject us after we finish the handshake.
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return { kind: 'tls_failed', code };
  return { kind: 'internal_error', message: `${code}: ${error.message}` };
}

const MAX_BYTES = 4_096;
/** The status line has already decided the result, so a slow body must not tie up a slot. */
const MAX_BODY_MS = 250;

interface Excerpt {
  readonly text: string | null;
  /** A connection can only be reused once the whole body has been read. */
  readonly complete: boolean;
}

/** Reads at most 4 KiB of a body, for at most 250 ms. Never rejects. */
function readExcerpt(body: Readable): Promise<Excerpt> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (complete: boolean) => {
      clearTimeout(timeout);
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
    const timeout = setTimeout(onBreak, MAX_BODY_MS);
    body.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

/** PostgreSQL rejects NUL, and control characters could garble the pages that show the text. */
function safeText(bytes: Buffer): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: The pattern removes them.
  return bytes.toString('utf8').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd');
}
