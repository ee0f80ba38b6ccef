import { sleep } from '@artist-watch/runtime/clock';
import type { RequestBudget, RequestUrgency } from '../budget/request-budget.js';
import { badAnswer, PlatformError, type PlatformFailureKind, unavailable } from '../platform-error.js';
import { type JsonAnswer, type PlatformAnswer, platformAnswer, toJsonAnswer } from './answer.js';
import { BoundedHttp, type HttpRequest, NoAnswer } from './bounded-http.js';

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

export interface JsonRequest extends HttpRequest {
  /** For metrics, without ids. */
  readonly operation: string;
  /** Begins with `/`. */
  readonly path: string;
  /** `due` unless given. */
  readonly urgency?: RequestUrgency | undefined;
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
  readonly #http: BoundedHttp;

  constructor(options: PlatformHttpOptions) {
    this.#options = options;
    this.#origin = options.baseUrl.replace(/\/$/, '');
    this.#http = new BoundedHttp({
      proxyUrl: options.proxyUrl,
      timeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
      maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      maxBytes: MAX_ANSWER_BYTES,
      headers: { accept: 'application/json' },
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
    this.#http.close();
  }

  async #send(request: JsonRequest): Promise<JsonAnswer> {
    const { clock, onAnswer } = this.#options;
    const answer = await this.#http.send(this.#origin + request.path, request).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      onAnswer?.(platformAnswer(request, undefined));
      throw withoutAnswer(request.path, error);
    });
    onAnswer?.(platformAnswer(request, answer));
    return toJsonAnswer(request.path, answer, clock.now());
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

function withoutAnswer(path: string, { problem, message, cause }: NoAnswer): PlatformError {
  const detail = `${path}: ${message}`;
  switch (problem) {
    case 'timed_out':
      return new PlatformError({ kind: 'timeout' }, detail);
    case 'too_large':
      return badAnswer(detail);
    case 'unreachable':
      return unavailable(detail, undefined, { cause });
  }
}

function retryAfterOf({ failure }: PlatformError): number | undefined {
  return 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
}
