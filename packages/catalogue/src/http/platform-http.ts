import { sleep } from '@artist-watch/runtime/clock';
import type { Got } from 'got';
import type { RequestBudget, RequestUrgency } from '../budget/request-budget.js';
import { badAnswer, PlatformError, type PlatformFailureKind, unavailable } from '../platform-error.js';
import { type Agents, closeAgents, createAgents } from './agents.js';
import { RequestDeadline } from './deadline.js';
import { type JsonAnswer, parseRetryAfter, toJsonAnswer } from './json-answer.js';
import { type PlatformAnswer, platformAnswer } from './platform-answer.js';

/** One request, retries counted singly. */
export interface RequestFact {
  /** What was asked for, without ids: `artist`, `artist releases`. */
  readonly operation: string;
  readonly outcome: 'ok' | PlatformFailureKind;
  readonly durationMs: number;
}

export interface PlatformHttpOptions {
  /** The platform's origin, with or without a path and a slash at its end. */
  readonly baseUrl: string;
  readonly budget: RequestBudget;
  readonly clock: { now(): Date };
  /** The forward proxy for polling; direct without it. */
  readonly proxyUrl?: string | undefined;
  /** For one request, connection included; 10 s unless given. */
  readonly requestTimeoutMs?: number | undefined;
  /** The pauses before a request is sent again after trouble that may pass; 250 ms and 1 s unless given. */
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** A quota error that asks for no longer pause than this is waited out; 10 s unless given. */
  readonly maxQuotaWaitMs?: number | undefined;
  /** How many connections may be open at once; 16 unless given. */
  readonly maxConnections?: number | undefined;
  /** Called with every request, for metrics. */
  readonly onRequest?: ((fact: RequestFact) => void) | undefined;
  /** Given every answer as it came, without credentials, for a recording. */
  readonly onAnswer?: ((answer: PlatformAnswer) => void) | undefined;
}

export interface JsonRequest {
  /** For metrics, without ids. */
  readonly operation: string;
  /** Begins with `/`. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** `due` unless given. */
  readonly urgency?: RequestUrgency | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as a form by POST; a GET without it. */
  readonly form?: Readonly<Record<string, string>> | undefined;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_RETRY_DELAYS_MS = [250, 1_000];
const DEFAULT_MAX_QUOTA_WAIT_MS = 10_000;
const DEFAULT_MAX_CONNECTIONS = 16;

/** Far above any page of a list, far below what would hurt. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * JSON over HTTP with a platform: each request takes from the budget, has a deadline, and is sent again a few times
 * after trouble that may pass. Every failure is a PlatformError, or the reason of the caller's signal.
 */
export class PlatformHttp {
  readonly #options: PlatformHttpOptions;
  readonly #origin: string;
  readonly #requestTimeoutMs: number;
  readonly #agents: Agents;
  #got: Promise<Got> | undefined;

  constructor(options: PlatformHttpOptions) {
    this.#options = options;
    this.#origin = options.baseUrl.replace(/\/$/, '');
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.#agents = createAgents({
      proxyUrl: options.proxyUrl,
      maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      connectTimeoutMs: this.#requestTimeoutMs,
    });
  }

  /**
   * Sends the request until `interpret` makes something of an answer, or nothing more is to be hoped for.
   *
   * @param interpret reads the platform's own wording; what it throws decides as the HTTP status would.
   */
  async read<Result>(request: JsonRequest, interpret: (answer: JsonAnswer) => Result): Promise<Result> {
    const { budget, onRequest, retryDelaysMs = DEFAULT_RETRY_DELAYS_MS } = this.#options;
    const { operation } = request;
    for (let attempt = 0; ; attempt++) {
      await budget.take(1, request.signal, request.urgency);
      const startedAtMs = performance.now();
      const report = (outcome: RequestFact['outcome']) =>
        onRequest?.({ operation, outcome, durationMs: performance.now() - startedAtMs });
      try {
        const result = interpret(await this.#send(request));
        report('ok');
        return result;
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        report(error.failure.kind);
        const pauseMs = retryAfterOf(error);
        if (pauseMs !== undefined) await budget.penalise(pauseMs);
        const delayMs = retryDelaysMs[attempt];
        if (delayMs === undefined || !this.#mayPass(error, attempt)) throw error;
        // Where the platform named a pause, the budget itself makes the request wait.
        if (pauseMs === undefined) await sleep(delayMs, request.signal);
      }
    }
  }

  close(): void {
    closeAgents(this.#agents);
  }

  async #send(request: JsonRequest): Promise<JsonAnswer> {
    const { path, signal, headers, form } = request;
    const { clock, onAnswer } = this.#options;
    this.#got ??= openGot(this.#agents);
    const got = await this.#got;
    const deadline = new RequestDeadline(signal, this.#requestTimeoutMs);
    let tooLarge = false;
    try {
      const sent = got(`${this.#origin}${path}`, {
        signal: deadline.signal,
        responseType: 'text',
        ...(headers && { headers }),
        ...(form && { method: 'POST', form }),
      });
      void sent.on('downloadProgress', ({ transferred }) => {
        tooLarge ||= transferred > MAX_ANSWER_BYTES;
        if (tooLarge) sent.cancel();
      });
      const { statusCode: status, headers: answered, body } = await sent;
      onAnswer?.(platformAnswer(request, { status, headers: answered, body }));
      return toJsonAnswer(path, status, body, parseRetryAfter(answered['retry-after'], clock.now()));
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      signal.throwIfAborted();
      onAnswer?.(platformAnswer(request, null));
      if (deadline.expired)
        throw new PlatformError({ kind: 'timeout' }, `${path}: no answer in ${this.#requestTimeoutMs} ms`);
      if (tooLarge) throw badAnswer(`${path}: more than ${MAX_ANSWER_BYTES} bytes`);
      const { code = 'no connection' } = error as NodeJS.ErrnoException;
      throw unavailable(`${path}: ${code}`, undefined, { cause: error });
    } finally {
      deadline.end();
    }
  }

  #mayPass(error: PlatformError, attempt: number): boolean {
    switch (error.failure.kind) {
      case 'quota':
      case 'unavailable':
        return (retryAfterOf(error) ?? 0) <= (this.#options.maxQuotaWaitMs ?? DEFAULT_MAX_QUOTA_WAIT_MS);
      case 'timeout':
        return true;
      // Once: cut JSON and a page of HTML pass, a new format does not.
      case 'bad_answer':
        return attempt === 0;
      case 'not_found':
        return false;
    }
  }
}

/** got takes 10 MB, and is loaded with the first request: the API makes none before somebody uses a tool. */
async function openGot({ http, https }: Agents): Promise<Got> {
  const { default: got } = await import('got');
  return got.extend({
    agent: { http, https },
    headers: { 'user-agent': 'artist-watch/0.1', accept: 'application/json' },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
  });
}

function retryAfterOf({ failure }: PlatformError): number | undefined {
  return 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
}
