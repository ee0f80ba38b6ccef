import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { onAbort } from '@artist-watch/runtime/abort';
import type { Got } from 'got';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';

export interface BoundedHttpOptions {
  /** The forward proxy for polling, `http://user:password@host:port`; direct without it. */
  readonly proxyUrl?: string | undefined;
  /** How many connections may be open at once. */
  readonly maxConnections: number;
  /** For one request, connection included. */
  readonly timeoutMs: number;
  /** Of one answer. */
  readonly maxBytes: number;
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** False for an answer that is not to be unpacked; true unless given. */
  readonly decompress?: boolean;
}

export interface HttpRequest {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as a form by POST; a GET without it. */
  readonly form?: Readonly<Record<string, string>> | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No whole answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(
    readonly problem: 'timed_out' | 'too_large' | 'unreachable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * HTTP with a platform, on connections that are kept alive. Each request is bounded in time and size, and nothing is sent
 * again, nor to where a redirect leads.
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
      // Ends a proxy that never answers CONNECT: got's own signal does not reach a socket that is still being made.
      timeout: timeoutMs,
    } as const;
    this.#agents =
      proxy === undefined
        ? { http: new HttpAgent(pooling), https: new HttpsAgent(pooling) }
        : { http: new HttpProxyAgent({ ...pooling, proxy }), https: new HttpsProxyAgent({ ...pooling, proxy }) };
  }

  /** @throws NoAnswer; the reason of the caller's signal when that is aborted. */
  async send(url: string, { signal, headers, form }: HttpRequest): Promise<HttpAnswer> {
    const { timeoutMs, maxBytes } = this.#options;
    this.#got ??= this.#openGot();
    const got = await this.#got;
    // `AbortSignal.any` with a signal that lives as long as the process would keep every signal made from it. got's own
    // timeout does not end a request without a socket, which waits for a free connection or for the proxy's answer to CONNECT.
    const given = new AbortController();
    let failure: NoAnswer | undefined;
    const giveUp = (reason: NoAnswer) => {
      failure ??= reason;
      given.abort(reason);
    };
    const forgetOuter = onAbort(signal, (reason) => given.abort(reason));
    const timer = setTimeout(() => giveUp(new NoAnswer('timed_out', `no answer in ${timeoutMs} ms`)), timeoutMs);
    try {
      const sent = got<Buffer>(url, {
        signal: given.signal,
        ...(headers && { headers }),
        ...(form && { method: 'POST', form }),
      });
      void sent.on('downloadProgress', ({ transferred, total = 0 }) => {
        if (Math.max(transferred, total) > maxBytes) giveUp(new NoAnswer('too_large', `more than ${maxBytes} bytes`));
      });
      const { statusCode, headers: answered, body } = await sent;
      return { status: statusCode, headers: answered, body };
    } catch (cause) {
      signal.throwIfAborted();
      const { code = 'no connection' } = cause as NodeJS.ErrnoException;
      throw failure ?? new NoAnswer('unreachable', code, { cause });
    } finally {
      clearTimeout(timer);
      forgetOuter();
    }
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /** got takes 10 MB, and is loaded with the first request: the API makes none before somebody uses a tool. */
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
