import { sleep } from '@artist-watch/runtime/clock';
import type { RequestBudget, RequestUrgency } from '../budget/request-budget.js';
import { badResponse, PlatformError, type PlatformFailureKind, unavailable } from '../platform-error.js';
import { BoundedHttp, type HttpRequest, NoResponse } from './bounded-http.js';
import { type JsonResponse, type RecordedResponse, toJsonResponse, toRecordedResponse } from './response.js';

/** The outcome of one request. A retry is reported as a separate request. */
export interface RequestFact {
  /** The kind of request, without ids: `artist`, `artist albums`. */
  readonly operation: string;
  readonly outcome: 'ok' | PlatformFailureKind;
  readonly durationMs: number;
}

export interface PlatformHttpOptions {
  /** The platform's base URL, such as `https://api.deezer.com`. May have a path and a trailing slash. */
  readonly baseUrl: string;
  readonly budget: RequestBudget;
  readonly clock: { now(): Date };
  /** The forward proxy for polling. Default: none. */
  readonly proxyUrl?: string | undefined;
  /** Timeout of one request in milliseconds, including the connection. Default: 10 s. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Pauses in milliseconds before the retries of a request that failed with a temporary error. Default: 250 ms and 1 s.
   */
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** If the platform requests a longer pause than this, the request fails without a retry. Default: 10 s. */
  readonly maxQuotaWaitMs?: number | undefined;
  /** Maximum number of open connections. Default: 16. */
  readonly maxConnections?: number | undefined;
  /** Called after every request, for metrics. */
  readonly onRequest?: ((fact: RequestFact) => void) | undefined;
  /** Called with every raw response, without credentials, to record it. */
  readonly onResponse?: ((response: RecordedResponse) => void) | undefined;
}

export interface JsonRequest extends HttpRequest {
  /** The kind of request, without ids. Used in metrics. */
  readonly operation: string;
  /** Starts with `/`. */
  readonly path: string;
  /** Default: `due`. */
  readonly urgency?: RequestUrgency | undefined;
  /** The account that the request is charged to. */
  readonly account?: string | undefined;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_RETRY_DELAYS_MS = [250, 1_000];
const DEFAULT_MAX_QUOTA_WAIT_MS = 10_000;
const DEFAULT_MAX_CONNECTIONS = 16;

/**
 * Maximum size of a response. Every page of a list is far smaller, and a response of this size still fits in memory.
 */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Sends JSON requests to a platform. Each request takes from the budget, has a timeout, and is retried after temporary
 * errors. A failed request throws a PlatformError; an aborted one throws the reason of the caller's signal.
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
   * Sends the request until `interpret` accepts a response or a retry cannot help.
   *
   * @param interpret interprets the platform's own errors. If it throws a PlatformError, the request is retried as
   *   after an HTTP error.
   */
  async read<Result>(request: JsonRequest, interpret: (response: JsonResponse) => Result): Promise<Result> {
    const { budget, onRequest, retryDelaysMs = DEFAULT_RETRY_DELAYS_MS } = this.#options;
    const { operation } = request;
    for (let attempt = 0; ; attempt++) {
      await budget.take(1, request.signal, request.urgency, request.account);
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
        const pauseMs = retryAfterMs(error);
        if (pauseMs !== undefined) await budget.penalise(pauseMs);
        const delayMs = retryDelaysMs[attempt];
        if (delayMs === undefined || !this.#shouldRetry(error, attempt)) throw error;
        // If the platform requested a pause, the budget delays the retry, so no pause is needed here.
        if (pauseMs === undefined) await sleep(delayMs, request.signal);
      }
    }
  }

  close(): void {
    this.#http.close();
  }

  async #send(request: JsonRequest): Promise<JsonResponse> {
    const { clock, onResponse } = this.#options;
    const response = await this.#http.send(this.#origin + request.path, request).catch((error: unknown) => {
      if (!(error instanceof NoResponse)) throw error;
      onResponse?.(toRecordedResponse(request, undefined));
      throw toPlatformError(request.path, error);
    });
    onResponse?.(toRecordedResponse(request, response));
    return toJsonResponse(request.path, response, clock.now());
  }

  #shouldRetry(error: PlatformError, attempt: number): boolean {
    switch (error.failure.kind) {
      case 'quota':
      case 'unavailable':
        return (retryAfterMs(error) ?? 0) <= (this.#options.maxQuotaWaitMs ?? DEFAULT_MAX_QUOTA_WAIT_MS);
      case 'timeout':
        return true;
      // A bad response is retried once: truncated JSON or an HTML page can be temporary, but a new format is not.
      case 'bad_answer':
        return attempt === 0;
      case 'not_found':
        return false;
    }
  }
}

function toPlatformError(path: string, { problem, message, cause }: NoResponse): PlatformError {
  const detail = `${path}: ${message}`;
  switch (problem) {
    case 'timed_out':
      return new PlatformError({ kind: 'timeout' }, detail);
    case 'too_large':
      return badResponse(detail);
    case 'unreachable':
      return unavailable(detail, undefined, { cause });
  }
}

function retryAfterMs({ failure }: PlatformError): number | undefined {
  return 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
}
