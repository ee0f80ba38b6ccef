import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { within } from '../clock.js';
import { listen } from '../settings/start-failure.js';

export interface OperationsServerOptions {
  readonly port: number;
  readonly host?: string | undefined;
  readonly signal: AbortSignal;
  /** Readiness checks by name, or a text explaining why there are none. */
  readonly checks: Readonly<Record<string, ReadinessCheck>> | typeof SHARED_STORES | typeof NO_STORE;
  readonly checkTimeoutMs?: number;
  /** A prom-client registry. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  readonly otherwise?: RequestListener;
}

export interface OperationsServer {
  readonly port: number;
  /** Call this last, so that /readyz and /metrics keep responding during shutdown. */
  stop(): Promise<void>;
}

export const SHARED_STORES =
  'All replicas share PostgreSQL and Redis. If /readyz checked them, no replica would be ready during an outage, and ' +
  "clients would get the load balancer's error. /metrics reports outages: artist_watch_database_up, " +
  'artist_watch_redis_up.';
export const NO_STORE = 'This service uses neither PostgreSQL nor Redis.';

const DEFAULT_CHECK_TIMEOUT_MS = 2_000;
const HEADERS_TIMEOUT_MS = 5_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics`. `/livez` doesn't check any dependencies.
 * @throws StartError if the port is in use.
 */
export async function startOperationsServer(options: OperationsServerOptions): Promise<OperationsServer> {
  const { checks, checkTimeoutMs = DEFAULT_CHECK_TIMEOUT_MS } = options;
  const checkReadiness =
    typeof checks === 'string'
      ? async () => ({ ready: true, checks: {}, reason: checks })
      : createReadinessCheck(checks, checkTimeoutMs);

  const handlers: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/livez': async (response) => sendJson(response, 200, { live: true }),
    '/readyz': async (response) => {
      if (options.signal.aborted) {
        sendJson(response, 503, { ready: false, stopping: true });
        return;
      }
      const result = await checkReadiness();
      sendJson(response, result.ready && !options.signal.aborted ? 200 : 503, result);
    },
    '/metrics': async (response) => {
      const text = await options.metrics.metrics();
      send(response, 200, options.metrics.contentType, text);
    },
  };

  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (!handler) {
      if (options.otherwise) options.otherwise(request, response);
      else sendJson(response, 404, { error: 'not_found' });
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      sendJson(response, 405, { error: 'method_not_allowed' });
    } else {
      handler(response).catch(() => {
        if (!response.headersSent) sendJson(response, 500, { error: 'internal_error' });
        else response.destroy();
      });
    }
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = HEADERS_TIMEOUT_MS;

  const port = await listen(server, { port: options.port, host: options.host, setting: 'OPS_PORT' });
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json', `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

type ReadinessCheck = () => Promise<unknown>;

/** Doesn't include error messages, because they may contain host names and credentials. */
type CheckState = 'ok' | 'failed' | 'timed_out';

/** Overlapping calls share a single run of each check. */
function createReadinessCheck(checksByName: Readonly<Record<string, ReadinessCheck>>, timeoutMs: number) {
  const checks = Object.entries(checksByName).map(([name, check]) => ({ name, state: shareRuns(check) }));
  return async () => {
    const results = checks.map(
      async ({ name, state }) => [name, await within<CheckState>(timeoutMs, state(), () => 'timed_out')] as const,
    );
    const states = await Promise.all(results);
    return { ready: states.every(([, state]) => state === 'ok'), checks: Object.fromEntries(states) };
  };
}

function shareRuns(check: ReadinessCheck): () => Promise<CheckState> {
  let running: Promise<CheckState> | undefined;
  return () => {
    running ??= runCheck(check).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function runCheck(check: ReadinessCheck): Promise<CheckState> {
  try {
    await check();
    return 'ok';
  } catch {
    return 'failed';
  }
}
