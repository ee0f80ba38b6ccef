import { sleep } from '@artist-watch/runtime/clock';
import type { RequestBudget, RequestUrgency } from '../budget/request-budget.js';
import { badResponse, PlatformError, type PlatformFailureKind, unavailable } from '../platform-error.js';
import { BoundedHttp, type HttpRequest, NoResponse } from './bounded-http.js';
import { type JsonResponse, type RecordedResponse, toJsonResponse, toRecordedResponse } from './response.js';

export interface RequestFact {
  /** The kind of request, without ids. For example `artist albums`. */
  readonly operation: string;
  readonly outcome: 'ok' | PlatformFailureKind;
  readonly durationMs: number;
}

export interface PlatformHttpOptions {
  readonly baseUrl: string;
  readonly budget: RequestBudget;
  readonly clock: { now(): Date };
  readonly proxyUrl?: string | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** If the platform requests a longer pause than this, the request fails. */
  readonly maxQuotaWaitMs?: number | undefined;
  readonly maxConnections?: number | undefined;
  readonly onRequest?: ((fact: RequestFact) => void) | undefined;
  /** Receives every raw response, without credentials. */
  readonly onResponse?: ((response: RecordedResponse) => void) | undefined;
}

export interface JsonRequest extends HttpRequest {
  readonly operation: string;
  /** Starts with `/`. */
  readonly path: string;
  /** Default: `due`. */
  readonly urgency?: RequestUrgency | undefined;
  readonly account?: string | undefined;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_RETRY_DELAYS_MS = [250, 1_000];
const DEFAULT_MAX_QUOTA_WAIT_MS = 10_000;
const DEFAULT_MAX_CONNECTIONS = 16;

/** Even the largest list pages are far smaller than this. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

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
   * Retries until `interpret` accepts a response or another retry would not help.
   * @throws PlatformError; the signal's reason when aborted
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
        // If the platform requested a pause, the budget delays the retry.
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
      // Truncated JSON or an HTML page can be temporary, but a new format is not.
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
