import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import { type Answer, entityTag, isHeld, type StreamedAnswer } from './answer/answer.js';
import { type HttpProblem, problemAnswer, toProblem } from './answer/problem.js';
import { streamBody } from './answer/stream-body.js';

/** The error of a request, for the log and the metrics. Empty if it succeeded. */
export interface RequestOutcome {
  readonly code?: ApiErrorCode;
  readonly operatorText?: string | undefined;
  readonly fault?: unknown;
}

/** Only the client itself may cache the response, and must revalidate it (ETag). */
const REUSABLE = 'private, no-cache';

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A request with its response and its log fields. */
export class RequestContext {
  readonly requestId: string;
  /** Path of the route as documented. Undefined before routing, or if no route matches. */
  route: string | undefined;
  outcome: RequestOutcome = {};
  /** A parser error in the request, set before the request was handled. */
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
  }

  /** Status for the metrics. If a response failed after its headers were sent, the status of that failure. */
  get recordedStatus(): number {
    const { code } = this.outcome;
    return this.#isBegun && code !== undefined ? statusOf(code) : this.response.statusCode;
  }

  /** Account of the request, once it is known. */
  get accountId(): string | undefined {
    return undefined;
  }

  /** Additional fields of this request's log line. */
  get logFields(): Readonly<Record<string, unknown>> {
    return {};
  }

  /** Headers that every response has. */
  headersOfAll(): Record<string, string | number> {
    return {
      'X-Request-Id': this.requestId,
      'Cache-Control': this.request.method === 'GET' || this.request.method === 'HEAD' ? REUSABLE : 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
  }

  /** Sends the headers of a 200 and the first part of the body. `send` completes it. Has no ETag. */
  begin(type: string, firstPart: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.#isBegun = true;
    this.response.writeHead(200, { ...this.headersOfAll(), 'Content-Type': type });
    this.response.write(firstPart);
  }

  /**
   * Resolves when the work for the response is done, and the client has received the response or disconnected. Call it
   * once.
   */
  async ended(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.response.once('close', resolve));
    const answered = new Promise<void>((resolve) => {
      if (this.#isAnswered) resolve();
      else this.#onAnswered = resolve;
    });
    await answered;
    // If a client disconnects early, its slot stays occupied while its statements still run.
    await closed;
  }

  #markAnswered(): void {
    this.#isAnswered = true;
    this.#onAnswered?.();
  }

  /** Sends a response. After `begin`, sends only its body, because the headers were already sent. */
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
    // Encoded once for the ETag, the length and the socket.
    const body = typeof given === 'string' ? Buffer.from(given) : given;
    const all: Record<string, string | number> = { ...this.headersOfAll(), ...headers };
    // A response that may not be stored is never revalidated.
    const isCacheable = !String(all['Cache-Control']).includes('no-store');
    if (isCacheable && status === 200 && (method === 'GET' || method === 'HEAD')) {
      const tag = entityTag(body);
      all.ETag = tag;
      if (isHeld(this.request.headers['if-none-match'], tag)) {
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

  /** Streams a response. An error midway resets the connection and is logged. */
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

  /** Fails the request with a parser error, as soon as its caller is identified. */
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
    // An error after the response has no effect on it, such as an error of a body that is no longer read.
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
