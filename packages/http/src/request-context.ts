import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ApiError, type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import { type Answer, entityTag, matchesTag, type StreamedAnswer } from './answer/answer.js';
import { type HttpProblem, problemAnswer, toProblem } from './answer/problem.js';
import { streamBody } from './answer/stream-body.js';

/** The error of a request, for the log and the metrics. Empty if the request succeeded. */
export interface RequestOutcome {
  readonly code?: ApiErrorCode;
  readonly operatorText?: string | undefined;
  readonly fault?: unknown;
}

export interface RequestFields {
  readonly accountId?: string | undefined;
  readonly [name: string]: unknown;
}

/** Only the client may cache the response, and it must revalidate the response with its ETag before each use. */
const REUSABLE = 'private, no-cache';

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * The latest request of each connection. An error of the HTTP parser on a connection belongs to that connection's
 * latest request.
 */
const latest = new WeakMap<Duplex, RequestContext>();

/** Returns the unfinished request of a connection, or undefined if the connection is idle. */
export function currentRequest(socket: Duplex): RequestContext | undefined {
  const context = latest.get(socket);
  const isOver = context?.request.complete && context.response.writableFinished;
  return isOver ? undefined : context;
}

/** A request with its response and its log fields. */
export class RequestContext {
  readonly requestId: string;
  /** The path of the route as documented. Undefined before routing, or if no route matches. */
  route: string | undefined;
  outcome: RequestOutcome = {};
  /** The parser's error. Undefined unless the HTTP parser rejected the request before a handler ran. */
  brokenBy: ApiError | undefined;
  #isBegun = false;
  #isAnswered = false;
  #onAnswered: (() => void) | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const clientId = request.headers['x-request-id'];
    this.requestId = typeof clientId === 'string' && CLIENT_REQUEST_ID.test(clientId) ? clientId : randomUUID();
    latest.set(request.socket, this);
  }

  /** The status for the metrics. If a response failed after its headers were sent, this is the status of the error. */
  get recordedStatus(): number {
    const { code } = this.outcome;
    return this.#isBegun && code !== undefined ? statusOf(code) : this.response.statusCode;
  }

  /** Additional fields for the log line of this request, such as the account once it is known. */
  get logFields(): RequestFields {
    return {};
  }

  /** Returns the headers that every response has. */
  headersOfAll(): Record<string, string | number> {
    return {
      'X-Request-Id': this.requestId,
      'Cache-Control': this.request.method === 'GET' || this.request.method === 'HEAD' ? REUSABLE : 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
  }

  /**
   * Sends the headers of a 200 response and the first part of its body. `send` completes the body. The response has no
   * ETag.
   */
  begin(type: string, firstPart: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.#isBegun = true;
    this.response.writeHead(200, { ...this.headersOfAll(), 'Content-Type': type });
    this.response.write(firstPart);
  }

  /**
   * Resolves when the handler has produced the response, and the client has either received it or disconnected. Call it
   * only once.
   */
  async ended(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.response.once('close', resolve));
    const answered = new Promise<void>((resolve) => {
      if (this.#isAnswered) resolve();
      else this.#onAnswered = resolve;
    });
    await answered;
    // A client that disconnects early keeps its slot until the work for its request has ended.
    await closed;
  }

  #markAnswered(): void {
    this.#isAnswered = true;
    this.#onAnswered?.();
  }

  /** Sends a response. After `begin`, it sends only the body, because the headers were already sent. */
  send(answer: Answer): void {
    this.#markAnswered();
    if (this.#isBegun) {
      if (!this.response.writableEnded) this.response.end(answer.body);
      return;
    }
    if (this.response.headersSent || this.response.destroyed) return;
    const { status, body: given, type = 'application/json; charset=utf-8', headers } = answer;
    const { method } = this.request;
    if (given === undefined) {
      this.response.writeHead(status, { ...this.headersOfAll(), ...headers });
      this.response.end();
      return;
    }
    // The body is encoded only once, although the ETag, the length and the socket all need its bytes.
    const body = typeof given === 'string' ? Buffer.from(given) : given;
    const all: Record<string, string | number> = { ...this.headersOfAll(), ...headers };
    // A response that clients must not store needs no ETag, because clients never revalidate it.
    const isCacheable = !String(all['Cache-Control']).includes('no-store');
    if (isCacheable && status === 200 && (method === 'GET' || method === 'HEAD')) {
      const tag = entityTag(body);
      all.ETag = tag;
      if (matchesTag(this.request.headers['if-none-match'], tag)) {
        this.response.writeHead(304, all);
        this.response.end();
        return;
      }
    }
    all['Content-Type'] = type;
    all['Content-Length'] = body.length;
    this.response.writeHead(status, all);
    this.response.end(method === 'HEAD' ? undefined : body);
  }

  /** Streams a response. An error after the headers resets the connection and is logged. */
  async stream({ type, chunks, headers }: StreamedAnswer): Promise<void> {
    const { request, response } = this;
    try {
      if (response.headersSent || response.destroyed) return;
      response.writeHead(200, { ...this.headersOfAll(), ...headers, 'Content-Type': type });
      if (request.method === 'HEAD') response.end();
      else await streamBody(response, chunks);
    } catch (error) {
      const { operatorText, fault = error } = toProblem(error);
      this.outcome = { operatorText: `The response was cut off. ${operatorText ?? ''}`.trim(), fault };
    } finally {
      await chunks.return(undefined);
      this.#markAnswered();
    }
  }

  /** Fails the request with a parser error once its caller is identified. */
  breakBy(error: ApiError): void {
    this.brokenBy = error;
    if (this.isIdentified) this.fail(error);
  }

  /** True if the caller is identified. */
  protected get isIdentified(): boolean {
    return true;
  }

  /** Sends an error response. */
  fail(error: unknown): void {
    this.#markAnswered();
    // Errors after the response was sent are ignored. They can come from a request body that is no longer read.
    if (this.response.headersSent && (!this.#isBegun || this.response.writableEnded)) return;
    const problem = toProblem(error);
    const { code, operatorText, fault } = problem;
    this.outcome = { code, operatorText, fault };
    this.send(this.answerTo(problem));
  }

  /** Formats an error. */
  protected answerTo(problem: HttpProblem): Answer {
    return problemAnswer(problem);
  }
}
