import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import type { Request, Response, Router } from 'express';
import {
  type Answer,
  entityTag,
  type HttpProblem,
  matchesTag,
  problemAnswer,
  type StreamedAnswer,
  streamBody,
  toProblem,
} from './answer/answer.js';

interface RequestOutcome {
  readonly code?: ApiErrorCode;
  readonly operatorText?: string | undefined;
  readonly fault?: unknown;
}

export interface RequestFields {
  readonly accountId?: string | undefined;
  readonly [name: string]: unknown;
}

/** Only the client may cache the response. It must revalidate with the ETag before each use. */
const REUSABLE = 'private, no-cache';

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The latest request on each connection. HTTP parser errors are attributed to it. */
const latest = new WeakMap<Duplex, RequestContext>();

export function currentRequest(socket: Duplex): RequestContext | undefined {
  const context = latest.get(socket);
  const isOver = context?.request.complete && context.response.writableFinished;
  return isOver ? undefined : context;
}

export class RequestContext {
  readonly requestId: string;
  /** The route's path as documented. Undefined before routing, or if no route matches. */
  route: string | undefined;
  outcome: RequestOutcome = {};
  /** Set if the HTTP parser rejected the request before a handler could run. */
  brokenBy: ApiError | undefined;
  #isBegun = false;
  #isAnswered = false;
  #ended: Promise<void> | undefined;
  #onAnswered: (() => void) | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const clientId = request.headers['x-request-id'];
    this.requestId = typeof clientId === 'string' && CLIENT_REQUEST_ID.test(clientId) ? clientId : randomUUID();
    latest.set(request.socket, this);
  }

  /** If a response fails after its headers were sent, metrics use the error's status. */
  get recordedStatus(): number {
    const { code } = this.outcome;
    return this.#isBegun && code !== undefined ? statusOf(code) : this.response.statusCode;
  }

  get logFields(): RequestFields {
    return {};
  }

  headersOfAll(): Record<string, string | number> {
    return {
      'X-Request-Id': this.requestId,
      'Cache-Control': this.request.method === 'GET' || this.request.method === 'HEAD' ? REUSABLE : 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
  }

  /** Sends the headers of a 200 response and the first part of its body. Call `send` to complete the body. */
  begin(type: string, firstPart: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.#isBegun = true;
    this.response.writeHead(200, { ...this.headersOfAll(), 'Content-Type': type });
    this.response.write(firstPart);
  }

  /** Resolves when the handler has finished and the response is closed. */
  ended(): Promise<void> {
    this.#ended ??= this.#untilEnded();
    return this.#ended;
  }

  async #untilEnded(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.response.once('close', resolve));
    const answered = new Promise<void>((resolve) => {
      if (this.#isAnswered) resolve();
      else this.#onAnswered = resolve;
    });
    await answered;
    // If a client disconnects early, its slot stays in use until the request has been processed.
    await closed;
  }

  #markAnswered(): void {
    this.#isAnswered = true;
    this.#onAnswered?.();
  }

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
    const body = typeof given === 'string' ? Buffer.from(given) : given;
    const all: Record<string, string | number> = { ...this.headersOfAll(), ...headers };
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

  /** Fails the request with a parser error, once it is known who sent the request. */
  breakBy(error: ApiError): void {
    this.brokenBy = error;
    if (this.isIdentified) this.fail(error);
  }

  protected get isIdentified(): boolean {
    return true;
  }

  fail(error: unknown): void {
    this.#markAnswered();
    // Errors after the response can come from a request body that is no longer being read.
    if (this.response.headersSent && (!this.#isBegun || this.response.writableEnded)) return;
    const problem = toProblem(error);
    const { code, operatorText, fault } = problem;
    this.outcome = { code, operatorText, fault };
    this.send(this.answerTo(problem));
  }

  protected answerTo(problem: HttpProblem): Answer {
    return problemAnswer(problem);
  }
}

export type RoutedResponse<Context extends RequestContext> = Response<unknown, { context: Context }>;

/**
 * Runs an Express router without an Express application, which would use 54 KB per request (docs/adr/0017).
 *
 * @param notFound creates the error if no route matches the path.
 */
export function answerByRouter(
  router: Router,
  context: RequestContext,
  notFound = () => new ApiError('not_found', 'This URL does not exist.'),
): void {
  const { request, response } = context;
  Object.assign(response, { locals: { context } });
  router(request as Request, response as Response, (error?: unknown) => {
    context.fail(error === undefined || isUndecodable(error) ? notFound() : error);
  });
}

function isUndecodable(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
}
