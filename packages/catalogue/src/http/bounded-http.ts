import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { onAbort } from '@artist-watch/runtime/clock';
import type { Got } from 'got';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';

export interface BoundedHttpOptions {
  /** `http://user:password@host:port` */
  readonly proxyUrl?: string | undefined;
  readonly maxConnections: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly decompress?: boolean;
}

export interface HttpRequest {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** If set, the request is a POST. */
  readonly form?: Readonly<Record<string, string>> | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

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

/** Limits the time and size of each request. Neither retries nor follows redirects. */
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
      // The `got` signal does not abort a socket that is still connecting to a proxy.
      timeout: timeoutMs,
    } as const;
    this.#agents =
      proxy === undefined
        ? { http: new HttpAgent(pooling), https: new HttpsAgent(pooling) }
        : { http: new HttpProxyAgent({ ...pooling, proxy }), https: new HttpsProxyAgent({ ...pooling, proxy }) };
  }

  /** @throws NoResponse; the signal's reason when aborted */
  async send(url: string, { signal, headers, form }: HttpRequest): Promise<HttpResponse> {
    const { timeoutMs, maxBytes } = this.#options;
    this.#got ??= this.#openGot();
    const got = await this.#got;
    // `AbortSignal.any` would leak memory with a process-wide signal. The `got` timeout does not end a request that is
    // still waiting for a socket.
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
      const { proxyUrl } = this.#options;
      const way = proxyUrl === undefined ? '' : ` through the proxy ${new URL(proxyUrl).host}`;
      throw failure ?? new NoResponse('unreachable', `${code}${way}`, { cause });
    } finally {
      clearTimeout(timer);
      forgetOuter();
    }
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /** Imports `got` on first use, because it takes 10 MB of memory. */
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
