import { createServer, type RequestListener } from 'node:http';
import { drain, KEEP_ALIVE_MS, listen, withGracefulShutdown } from '@artist-watch/runtime/lifecycle/listen';

export interface DashboardServerOptions {
  readonly port: number;
  readonly host: string | undefined;
  /** Made when the port is known: without DASHBOARD_URL it is part of the address. */
  readonly listenerFor: (port: number) => RequestListener;
  readonly stopping: AbortSignal;
  readonly requestTimeoutMs: number;
}

export interface DashboardServer {
  readonly port: number;
  /** Takes no new connection, lets the requests in hand end, and cuts what is left when `forced` is aborted. */
  stop(forced: AbortSignal): Promise<void>;
}

const MAX_HEAD_BYTES = 16 * 1024;

export async function startDashboardServer(options: DashboardServerOptions): Promise<DashboardServer> {
  const { requestTimeoutMs, stopping } = options;
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: Math.min(10_000, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.timeout = 60_000;
  const port = await listen(server, { port: options.port, host: options.host, setting: 'DASHBOARD_PORT' });
  server.on('request', withGracefulShutdown(options.listenerFor(port), stopping));
  return { port, stop: (forced) => drain(server, forced) };
}
