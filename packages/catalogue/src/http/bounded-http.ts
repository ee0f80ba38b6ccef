import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { onAbort } from '@artist-watch/runtime/clock';
import type { Got } from 'got';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';

export interface BoundedHttpOptions {
  /** The forward proxy for polling, `http://user:password@host:port`. Default: none. */
  readonly proxyUrl?: string | undefined;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Timeout of one request in milliseconds, including the connection. */
  readonly timeoutMs: number;
  /** Maximum size of one response in bytes. */
  readonly maxBytes: number;
  /** Headers sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** False if compressed responses must not be decompressed. Default: true. */
  readonly decompress?: boolean;
}

export interface HttpRequest {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Form fields, sent as a POST. Default: a GET request. */
  readonly form?: Readonly<Record<string, string>> | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Thrown if no complete response arrived. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';

  constructor(
    readonly problem: 'timed_out' | 'too_large' | 'unreachable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Sends HTTP requests to a platform over keep-alive connections, with a limit on the time and size of each request.
 * Does not retry and does not follow redirects.
 */
export class BoundedHttp {
  readonly #options: BoundedHttpOptions;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  #got: Promise<Got> | undefined;

  constructor(options: BoundedHttpOptions) {
    this.#options = options;
    const { proxyUrl: proxy, maxConnections, timeoutMs } = options;
    const pooling = {
      keepAlive: true,
      maxSockets: maxConnections,
      maxFreeSockets: maxConnections,
      scheduling: 'lifo',
      // Stops waiting for a proxy that never responds to CONNECT. got's signal does not reach a socket that is still
      // connecting.
      timeout: timeoutMs,
    } as const;
    this.#agents =
      proxy === undefined
        ? { http: new HttpAgent(pooling), https: new HttpsAgent(pooling) }
        : { http: new HttpProxyAgent({ ...pooling, proxy }), https: new HttpsProxyAgent({ ...pooling, proxy }) };
  }

  /** @throws NoResponse; the signal's reason when it is aborted. */
  async send(url: string, { signal, headers, form }: HttpRequest): Promise<HttpResponse> {
    const { timeoutMs, maxBytes } = this.#options;
    this.#got ??= this.#openGot();
    const got = await this.#got;
    // `AbortSignal.any` is not used here, because with a process-wide signal it would keep every derived signal in
    // memory. got's own timeout is not enough either: it does not end a request that is still waiting for a socket (for
    // a free connection, or for the proxy's response to CONNECT).
    const given = new AbortController();
    let failure: NoResponse | undefined;
    const giveUp = (reason: NoResponse) => {
      failure ??= reason;
      given.abort(reason);
    };
    const forgetOuter = onAbort(signal, (reason) => given.abort(reason));
    const timer = setTimeout(() => giveUp(new NoResponse('timed_out', `no response in ${timeoutMs} ms`)), timeoutMs);
    try {
      const sent = got<Buffer>(url, {
        signal: given.signal,
        ...(headers && { headers }),
        ...(form && { method: 'POST', form }),
      });
      void sent.on('downloadProgress', ({ transferred, total = 0 }) => {
        if (Math.max(transferred, total) > maxBytes) giveUp(new NoResponse('too_large', `more than ${maxBytes} bytes`));
      });
      const { statusCode, headers: answered, body } = await sent;
      return { status: statusCode, headers: answered, body };
    } catch (cause) {
      signal.throwIfAborted();
      const { code = 'no connection' } = cause as NodeJS.ErrnoException;
      throw failure ?? new NoResponse('unreachable', code, { cause });
    } finally {
      clearTimeout(timer);
      forgetOuter();
    }
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /**
   * Imports `got` on the first request, because the module takes 10 MB of memory. The API sends no platform request
   * until a customer uses a lookup tool or searches for an artist.
   */
  async #openGot(): Promise<Got> {
    const { default: got } = await import('got');
    const { headers, decompress = true } = this.#options;
    return got.extend({
      agent: this.#agents,
      headers: { 'user-agent': 'artist-watch/0.1', ...headers },
      decompress,
      responseType: 'buffer',
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
    });
  }
}
