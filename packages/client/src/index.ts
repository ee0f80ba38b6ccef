import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseBeforeRetry, type RetryRules, toError } from './failure.js';
import {
  type Artist,
  type Change,
  type ChangeDetail,
  type Delivery,
  OPERATIONS,
  type Operations,
} from './generated/api.js';

export { ArtistWatchError } from './failure.js';
export type * from './generated/api.js';

class SilenceLimit {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async for<Value>(wait: Promise<Value>): Promise<Value> {
    const giveUp = () => this.#controller.abort(new DOMException('The API did not respond in time.', 'TimeoutError'));
    const timer = setTimeout(giveUp, this.#timeoutMs);
    try {
      return await wait;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Yields lines. Time that the caller spends on a line does not count toward the timeout. */
async function* linesOf(body: ReadableStream<Uint8Array>, patience: SilenceLimit): AsyncGenerator<string, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await patience.for(reader.read());
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @public */
export interface ClientOptions extends Partial<RetryRules> {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** `aw_live_…` */
  readonly apiKey: string;
  /** Timeout for each request, and for each chunk of an export. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** @public */
export interface ApiCallOptions {
  readonly signal?: AbortSignal;
  /** Only for operations that accept an Idempotency-Key. Default: a new key per call. */
  readonly idempotencyKey?: string;
}

type OperationName = keyof Operations;
type Input<Name extends OperationName> = Omit<Operations[Name], 'result'>;
type Result<Name extends OperationName> = Operations[Name]['result'];
type Arguments<Name extends OperationName> =
  Record<never, never> extends Input<Name>
    ? [input?: Input<Name>, options?: ApiCallOptions]
    : [input: Input<Name>, options?: ApiCallOptions];

/** A list is sent as one parameter per value. */
type QueryValue = string | number | boolean | readonly string[];

type ListName = {
  [Name in OperationName]: Result<Name> extends { readonly next_cursor: string | null } ? Name : never;
}[OperationName];
type Listed<Name extends ListName> = Result<Name> extends { readonly data: readonly (infer Item)[] } ? Item : never;

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  readonly body?: unknown;
}

/** @public */
export type ExportedChange = Omit<ChangeDetail, 'origin' | 'observations'>;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RULES: RetryRules = { maxRetries: 3, maxWaitMs: 60_000 };

/**
 * A client for the API. Its types are generated from docs/openapi.json.
 *
 *     const client = new ArtistWatchClient({ baseUrl, apiKey });
 *     for await (const change of client.changes({ since: '2026-05-01T00:00:00Z' })) console.log(change.summary);
 *
 * If the API may already have processed a request, the client retries it only if repeating it is harmless.
 */
export class ArtistWatchClient {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #rules: RetryRules;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
    const { maxRetries = DEFAULT_RULES.maxRetries, maxWaitMs = DEFAULT_RULES.maxWaitMs } = options;
    this.#rules = { maxRetries, maxWaitMs };
  }

  /**
   * Calls an operation by its documented name.
   * @throws ArtistWatchError, or the error from `fetch` if there is no response.
   */
  async call<Name extends OperationName>(name: Name, ...[input, options]: Arguments<Name>): Promise<Result<Name>> {
    return (await this.#send(name, (input ?? {}) as AnyInput, options ?? {})) as Result<Name>;
  }

  /** Yields changes, newest first. Loads pages as needed. */
  changes(
    query: NonNullable<Operations['listChanges']['query']> = {},
    options: ApiCallOptions = {},
  ): AsyncIterable<Change> {
    return this.pages('listChanges', { query }, options);
  }

  /**
   * Yields all matching changes with complete values. Streams a single response, without retries.
   * @throws ArtistWatchError before the first change, or the error from `fetch`.
   */
  async *exportChanges(
    query: Omit<NonNullable<Operations['exportChanges']['query']>, 'format'> = {},
    { signal }: ApiCallOptions = {},
  ): AsyncGenerator<ExportedChange, void> {
    const input = { query: { ...query, format: 'ndjson' } };
    const { body, patience } = await this.#retrying('exportChanges', signal, async (patience) => {
      const response = await patience.for(this.#fetch('exportChanges', { input, key: undefined, signal, patience }));
      return { body: response.body, patience };
    });
    if (body === null) return;
    for await (const line of linesOf(body, patience)) yield JSON.parse(line) as ExportedChange;
  }

  /** Yields artists. Loads pages as needed. */
  artists(
    query: NonNullable<Operations['listArtists']['query']> = {},
    options: ApiCallOptions = {},
  ): AsyncIterable<Artist> {
    return this.pages('listArtists', { query }, options);
  }

  /** Yields deliveries, newest first. Loads pages as needed. */
  deliveries(
    query: NonNullable<Operations['listDeliveries']['query']> = {},
    options: ApiCallOptions = {},
  ): AsyncIterable<Delivery> {
    return this.pages('listDeliveries', { query }, options);
  }

  /** Yields every item in a paginated list. Loads pages as needed. */
  async *pages<Name extends ListName>(name: Name, ...[input, options]: Arguments<Name>): AsyncGenerator<Listed<Name>> {
    const { query = {}, ...given } = (input ?? {}) as AnyInput;
    for (let page = query; ; ) {
      const { data, next_cursor: cursor } = (await this.#send(name, { ...given, query: page }, options ?? {})) as {
        data: Listed<Name>[];
        next_cursor: string | null;
      };
      yield* data;
      if (cursor === null || cursor === page.after) return;
      if (page.after !== undefined) page = { ...query, after: cursor };
      else page = { cursor, ...(query.limit !== undefined && { limit: query.limit }) };
    }
  }

  async #send(name: OperationName, input: AnyInput, { signal, idempotencyKey }: ApiCallOptions): Promise<unknown> {
    const { keyed, text: isText } = OPERATIONS[name];
    // Retries must send the same key, or the API would process each one as a new request.
    const key = keyed ? (idempotencyKey ?? randomUUID()) : undefined;
    const answer = async (patience: SilenceLimit) => {
      const response = await this.#fetch(name, { input, key, signal, patience });
      const text = await response.text();
      if (isText) return text;
      return text === '' ? undefined : parse(response, text);
    };
    return this.#retrying(name, signal, (patience) => patience.for(answer(patience)));
  }

  async #retrying<Answer>(
    name: OperationName,
    signal: AbortSignal | undefined,
    ask: (patience: SilenceLimit) => Promise<Answer>,
  ): Promise<Answer> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const { method, keyed } = OPERATIONS[name];
    const isSafe = method === 'GET' || method === 'PATCH' || keyed;
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await ask(new SilenceLimit(timeoutMs));
      } catch (failure) {
        signal?.throwIfAborted();
        const pauseMs = pauseBeforeRetry(failure, { isSafe, attempt, rules: this.#rules });
        if (pauseMs === undefined) throw failure;
        await sleep(pauseMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  }

  /**
   * Returns a successful response with an unread body.
   * @throws ArtistWatchError
   */
  async #fetch(
    name: OperationName,
    request: {
      readonly input: AnyInput;
      readonly key: string | undefined;
      readonly signal: AbortSignal | undefined;
      readonly patience: SilenceLimit;
    },
  ): Promise<Response> {
    const { input, key, signal, patience } = request;
    const { path, query, body } = input;
    const { method, path: template, text: isText } = OPERATIONS[name];
    const { apiKey, fetch = globalThis.fetch } = this.#options;
    const response = await fetch(this.#baseUrl + addressOf(template, path, query), {
      method,
      redirect: 'error',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        Accept: isText ? '*/*' : 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, patience.signal]) : patience.signal,
    });
    if (response.ok) return response;
    throw toError(response, await response.text());
  }
}

function addressOf(template: string, path: AnyInput['path'] = {}, query: AnyInput['query'] = {}): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const given = new URLSearchParams();
  for (const [parameter, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) given.append(parameter, String(one));
    }
  }
  return given.size === 0 ? filled : `${filled}?${given}`;
}

function parse(response: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw toError(response, text);
  }
}
