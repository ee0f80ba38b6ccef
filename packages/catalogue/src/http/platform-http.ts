import { sleep } from '@artist-watch/runtime/clock';
import { z } from 'zod';
import type { RequestBudget, RequestUrgency } from '../budget/request-budget.js';
import { badResponse, PlatformError, type PlatformFailureKind, quotaSpent, unavailable } from '../port.js';
import { BoundedHttp, type HttpRequest, type HttpResponse, NoResponse } from './bounded-http.js';

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

export interface JsonResponse {
  readonly status: number;
  /** The body is undefined if an error response has no JSON. */
  readonly body: unknown;
}

const QUOTA_PAUSE_MS = 5_000;

/**
 * Spotify sometimes sends 0 (github.com/spotify/web-api/issues/542). A date can be in the past, because clocks differ.
 */
const MIN_QUOTA_PAUSE_MS = 1_000;

/** @throws PlatformError for 429, 5xx and redirects */
export function toJsonResponse(path: string, { status, headers, body: bytes }: HttpResponse, now: Date): JsonResponse {
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  if (status === 429) throw quotaSpent(`${path}: 429`, Math.max(MIN_QUOTA_PAUSE_MS, retryAfterMs ?? QUOTA_PAUSE_MS));
  if (status >= 500) throw unavailable(`${path}: ${status}`, retryAfterMs);
  if (status >= 300 && status < 400) throw badResponse(`${path}: redirected (${status})`);
  const body = parseJson(bytes.toString());
  if (body === undefined && status < 300) throw badResponse(`${path}: status ${status}, but the body is not JSON`);
  return { status, body };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws PlatformError `bad_answer` */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, what: string, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw badResponse(`${what}: ${firstIssue(parsed.error)}`);
  return parsed.data;
}

/** A single fault often breaks every item on a page, so only the first problem is described. */
function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues;
  if (!first) return 'unexpected format';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${first.path.map(String).join('.') || 'the response'}: ${first.message}${more}`;
}

/** Without a limit, an invalid date could stop polling for years. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Returns milliseconds from now. Undefined if the header is absent or invalid (RFC 9110, section 10.2.3). */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  // `Date.parse` reads 1.5 as a day in January 2001. No HTTP date starts with a digit or sign.
  const delayMs = /^[-+.\d]/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(0, delayMs), MAX_RETRY_AFTER_MS);
}

export const recordedResponseSchema = z.object({
  method: z.enum(['GET', 'POST']),
  path: z.string().startsWith('/'),
  /** The status is null if no complete response arrived. */
  status: z.number().int().min(200).max(599).nullable(),
  headers: z.record(z.string(), z.string()),
  /** The body is not parsed, so that malformed bodies are recorded unchanged. */
  body: z.string(),
});

export type RecordedResponse = z.output<typeof recordedResponseSchema>;

/** Cookies and trace headers are never recorded. */
const RECORDED_HEADERS = ['content-type', 'retry-after', 'date', 'age', 'cache-control'];

export function toRecordedResponse(
  { path, form }: { readonly path: string; readonly form?: unknown },
  response: HttpResponse | undefined,
): RecordedResponse {
  const method = form === undefined ? 'GET' : 'POST';
  if (response === undefined) return { method, path, status: null, headers: {}, body: '' };
  const headers = Object.fromEntries(
    RECORDED_HEADERS.flatMap((name) => {
      const value = response.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const text = response.body.toString();
  // Only token requests use POST. Their responses contain a token and may quote the request.
  const body = method === 'POST' ? withoutCredentials(text) : text;
  return { method, path, status: response.status, headers, body };
}

/** Keeps the fields defined in RFC 6749, sections 5.1 and 5.2, but removes the token. */
function withoutCredentials(text: string): string {
  try {
    const { access_token, token_type, expires_in, error } = JSON.parse(text);
    return JSON.stringify({ ...(access_token && { access_token: 'removed' }), token_type, expires_in, error });
  } catch {
    return '';
  }
}
