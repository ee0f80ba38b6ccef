import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError } from '@artist-watch/contracts/api/api-error';
import type { ApiErrorCode } from '@artist-watch/contracts/api/errors';
import type { Identity } from '../../application/access/identity.js';
import type { Answer } from './answer/answer.js';
import { entityTag, isHeld } from './answer/entity-tag.js';
import { toProblem } from './answer/problem.js';
import type { ClientAddressOf } from './client-address.js';

/** The two headers that every answer carries (docs/reference/api.md). */
export interface RateHeaders {
  readonly limit: number;
  readonly remaining: number;
}

/** What became of a request, for the log and the metrics. */
export interface ExchangeOutcome {
  readonly code?: ApiErrorCode;
  readonly operatorText?: string | undefined;
  readonly fault?: unknown;
}

/** What a key may see is for the holder of the key; it may be kept, and must be asked about again (ETag). */
const REUSABLE = 'private, no-cache';

const CALLERS_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** One request and its answer. */
export class Exchange {
  readonly requestId: string;
  readonly startedAtMs: number;
  identity: Identity | undefined;
  rate: RateHeaders | undefined;
  /** The path of the route as the documentation writes it; undefined while, and when, there is none. */
  route: string | undefined;
  outcome: ExchangeOutcome = {};
  spoiledBy: ApiError | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    /** The instant that everything in this request is decided by. */
    readonly now: Date,
    startedAtMs: number,
    readonly fallbackRate: () => RateHeaders,
    readonly clientAddressOf: ClientAddressOf,
  ) {
    this.startedAtMs = startedAtMs;
    const callersId = request.headers['x-request-id'];
    this.requestId = typeof callersId === 'string' && CALLERS_ID.test(callersId) ? callersId : randomUUID();
  }

  get clientAddress(): string {
    return this.clientAddressOf(this.request);
  }

  send(answer: Answer): void {
    if (this.response.headersSent || this.response.destroyed) return;
    const { status, json, headers } = answer;
    const { method } = this.request;
    if (json === undefined) {
      this.response.writeHead(status, { ...this.headersOfAll(), ...headers });
      this.response.end();
      return;
    }
    // Encoded once, for the tag, the length and the socket, which would do it again for each.
    const body = typeof json === 'string' ? Buffer.from(json) : json;
    const all: Record<string, string | number> = { ...this.headersOfAll(), ...headers };
    if (status === 200 && (method === 'GET' || method === 'HEAD')) {
      const tag = entityTag(body);
      all.ETag = tag;
      if (isHeld(this.request.headers['if-none-match'], tag)) {
        this.response.writeHead(304, all);
        this.response.end();
        return;
      }
    }
    all['Content-Type'] = 'application/json; charset=utf-8';
    all['Content-Length'] = body.length;
    this.response.writeHead(status, all);
    this.response.end(method === 'HEAD' ? undefined : body);
  }

  /** What arrived of the request went wrong. Whose it is comes first: that is asked at this moment, or known. */
  spoil(error: ApiError): void {
    this.spoiledBy = error;
    if (this.rate) this.fail(error);
  }

  /** Answers with the error that the request ended in. */
  fail(error: unknown): void {
    // Whatever fails after the answer is no part of it: a body, for one, that was given up.
    if (this.response.headersSent) return;
    const { code, answer, operatorText, fault } = toProblem(error);
    this.outcome = { code, operatorText, fault };
    this.send(answer);
  }

  headersOfAll(): Record<string, string | number> {
    this.rate ??= this.fallbackRate();
    return {
      'X-Request-Id': this.requestId,
      'X-RateLimit-Limit': this.rate.limit,
      'X-RateLimit-Remaining': this.rate.remaining,
      'Cache-Control': this.request.method === 'GET' || this.request.method === 'HEAD' ? REUSABLE : 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
  }
}
