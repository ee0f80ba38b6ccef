import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import { type Answer, entityTag, isHeld, type StreamedAnswer } from './answer/answer.js';
import { type HttpProblem, problemAnswer, toProblem } from './answer/problem.js';
import { streamBody } from './answer/stream-body.js';

/** What became of a request, for the log and the metrics. */
export interface RequestOutcome {
  readonly code?: ApiErrorCode;
  readonly operatorText?: string | undefined;
  readonly fault?: unknown;
}

/** What a caller may see is for this caller alone; it may be kept, and must be asked about again (ETag). */
const REUSABLE = 'private, no-cache';

const CALLERS_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** One request and its answer, and what is recorded of it. */
export class RequestContext {
  readonly requestId: string;
  /** The path of the route as the documentation writes it; undefined while, and when, there is none. */
  route: string | undefined;
  outcome: RequestOutcome = {};
  /** What arrived of the request went wrong before anybody looked at it. */
  brokenBy: ApiError | undefined;
  #isBegun = false;
  #isAnswered = false;
  #onAnswered: (() => void) | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const callersId = request.headers['x-request-id'];
    this.requestId = typeof callersId === 'string' && CALLERS_ID.test(callersId) ? callersId : randomUUID();
  }

  /** Of an answer that failed after its head was sent, the status of the failure, which comes too late for the caller. */
  get recordedStatus(): number {
    const { code } = this.outcome;
    return this.#isBegun && code !== undefined ? statusOf(code) : this.response.statusCode;
  }

  /** Whose request it is, once that is known. */
  get accountId(): string | undefined {
    return undefined;
  }

  /** What the log line of this request says besides what every one says. */
  get logFields(): Readonly<Record<string, unknown>> {
    return {};
  }

  /** The headers of every answer. */
  headersOfAll(): Record<string, string | number> {
    return {
      'X-Request-Id': this.requestId,
      'Cache-Control': this.request.method === 'GET' || this.request.method === 'HEAD' ? REUSABLE : 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
  }

  /** Sends the head of a 200 and the first part of its body, which `send` ends. Has no ETag. */
  begin(type: string, firstPart: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.#isBegun = true;
    this.response.writeHead(200, { ...this.headersOfAll(), 'Content-Type': type });
    this.response.write(firstPart);
  }

  /** Resolves when the work for the response is done, and the client has taken the response or left. Call it once. */
  async ended(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.response.once('close', resolve));
    const answered = new Promise<void>((resolve) => {
      if (this.#isAnswered) resolve();
      else this.#onAnswered = resolve;
    });
    await answered;
    // A client that leaves early does not free its slot while its statements still run.
    await closed;
  }

  #markAnswered(): void {
    this.#isAnswered = true;
    this.#onAnswered?.();
  }

  /** After `begin` the rest of the body: what else the answer says comes too late. */
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
    // Encoded once, for the tag, the length and the socket, which would do it again for each.
    const body = typeof given === 'string' ? Buffer.from(given) : given;
    const all: Record<string, string | number> = { ...this.headersOfAll(), ...headers };
    // What nobody may keep nobody asks about again.
    const isKept = !String(all['Cache-Control']).includes('no-store');
    if (isKept && status === 200 && (method === 'GET' || method === 'HEAD')) {
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

  /** Sends what is made while it is sent. What fails midway cuts the connection, and is recorded. */
  async stream({ type, chunks, headers }: StreamedAnswer): Promise<void> {
    const { request, response } = this;
    try {
      if (response.headersSent || response.destroyed) return;
      response.writeHead(200, { ...this.headersOfAll(), ...headers, 'Content-Type': type });
      if (request.method === 'HEAD') response.end();
      else await streamBody(response, chunks);
    } catch (error) {
      const { operatorText, fault = error } = toProblem(error);
      this.outcome = { operatorText: `The answer was cut midway. ${operatorText ?? ''}`.trim(), fault };
    } finally {
      await chunks.return(undefined);
      this.#markAnswered();
    }
  }

  /** What arrived of the request went wrong: it is answered so as soon as whose request it is has been asked. */
  breakBy(error: ApiError): void {
    this.brokenBy = error;
    if (this.isIdentified) this.fail(error);
  }

  /** Is it known whose request it is? */
  protected get isIdentified(): boolean {
    return true;
  }

  /** Answers with the error that the request ended in. */
  fail(error: unknown): void {
    this.#markAnswered();
    // Whatever fails after the answer is no part of it: a body, for one, that was given up.
    if (this.response.headersSent && (!this.#isBegun || this.response.writableEnded)) return;
    const problem = toProblem(error);
    const { code, operatorText, fault } = problem;
    this.outcome = { code, operatorText, fault };
    this.send(this.answerTo(problem));
  }

  /** How an error is written. */
  protected answerTo(problem: HttpProblem): Answer {
    return problemAnswer(problem);
  }
}
