import { createServer, type RequestListener, type Server } from 'node:http';
import type { ApiErrorCode } from '@artist-watch/contracts/api/errors';
import { listen } from '@artist-watch/runtime/listen';
import { answerParserRefusals } from './parser-refusals.js';

export interface ApiServerOptions {
  readonly port: number;
  readonly host: string | undefined;
  readonly listener: RequestListener;
  readonly onParserRefusal: (code: ApiErrorCode, reason: string) => void;
}

export interface ApiServer {
  readonly port: number;
  /** Takes no new connection, lets the requests in hand end, and cuts what is left when `hurry` is aborted. */
  stop(hurry: AbortSignal): Promise<void>;
}

/** Against clients that are slow on purpose: each of these ends in a 408, or in a closed connection. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const SILENCE_TIMEOUT_MS = 60_000;
const CHECK_INTERVAL_MS = 2_000;

/** Longer than the minute for which load balancers keep their idle connections, so that they close them and not we. */
const KEEP_ALIVE_MS = 65_000;

const MAX_HEAD_BYTES = 16 * 1024;

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The front door refuses it, in our shape.
    requireHostHeader: false,
  });
  server.timeout = SILENCE_TIMEOUT_MS;
  server.on('request', options.listener);
  // Whoever asks first whether the body is wanted hears so when it is read, and 401 or 413 otherwise.
  server.on('checkContinue', options.listener);
  server.on('checkExpectation', options.listener);
  answerParserRefusals(server, options.onParserRefusal);
  const port = await listen(server, { port: options.port, host: options.host, setting: 'API_PORT' });
  return { port, stop: (hurry) => stop(server, hurry) };
}

/** How often a stopping server looks for connections whose last answer is out. */
const IDLE_CHECK_MS = 50;

async function stop(server: Server, hurry: AbortSignal): Promise<void> {
  // Who asks once more on a connection that is still in use hears that it was the last time.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const cut = () => server.closeAllConnections();
  hurry.addEventListener('abort', cut, { once: true });
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    if (hurry.aborted) cut();
  });
  clearInterval(idle);
  hurry.removeEventListener('abort', cut);
}
