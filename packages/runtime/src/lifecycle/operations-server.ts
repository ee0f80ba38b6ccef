import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { within } from '../clock.js';
import { listen } from './listen.js';

export interface OperationsServerOptions {
  /** `OPS_PORT`; 0 is any free one. */
  readonly port: number;
  /** `LISTEN_HOST`; all interfaces unless given. */
  readonly host?: string | undefined;
  /** The signal that `start` got: once it is aborted, /readyz answers 503. */
  readonly signal: AbortSignal;
  /** The dependencies by name; each resolves when it is well and rejects (or hangs) when it is not. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** How long one check may take, in milliseconds; 2,000 unless given. */
  readonly checkTimeoutMs?: number;
  /** A prom-client registry. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** What answers every other path (a read-only queue page); 404 unless given. */
  readonly otherwise?: RequestListener;
}

export interface OperationsServer {
  readonly port: number;
  /** To be stopped last, so that /readyz and /metrics show the stop while it lasts. */
  stop(): Promise<void>;
}

const DEFAULT_CHECK_TIMEOUT_MS = 2_000;
const HEADERS_TIMEOUT_MS = 5_000;

/** Starts `/livez` (touches no dependency), `/readyz` and `/metrics`. Throws a StartError when the port is taken. */
export async function startOperationsServer(options: OperationsServerOptions): Promise<OperationsServer> {
  const look = readiness(options.checks, options.checkTimeoutMs ?? DEFAULT_CHECK_TIMEOUT_MS);

  const answers: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/livez': async (response) => sendJson(response, 200, { live: true }),
    '/readyz': async (response) => {
      if (options.signal.aborted) {
        sendJson(response, 503, { ready: false, stopping: true });
        return;
      }
      const { ready, checks } = await look();
      sendJson(response, ready && !options.signal.aborted ? 200 : 503, { ready, checks });
    },
    '/metrics': async (response) => {
      const text = await options.metrics.metrics();
      send(response, 200, options.metrics.contentType, text);
    },
  };

  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer) {
      if (options.otherwise) options.otherwise(request, response);
      else sendJson(response, 404, { error: 'not_found' });
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      sendJson(response, 405, { error: 'method_not_allowed' });
    } else {
      answer(response).catch(() => {
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

/** Resolves when the dependency is well. */
type ReadinessCheck = () => Promise<unknown>;

/** No texts of errors: they may hold addresses and credentials. */
type CheckState = 'ok' | 'failed' | 'timed_out';

/**
 * Looks at all dependencies at once. Probes come at their own pace, so looks that overlap share one run of each check:
 * a dependency that hangs holds one pending check, however often it is asked for.
 */
function readiness(named: Readonly<Record<string, ReadinessCheck>>, timeoutMs: number) {
  const checks = Object.entries(named).map(([name, check]) => ({ name, state: sharing(check) }));
  return async () => {
    const looks = checks.map(
      async ({ name, state }) => [name, await within<CheckState>(timeoutMs, state(), () => 'timed_out')] as const,
    );
    const states = await Promise.all(looks);
    return { ready: states.every(([, state]) => state === 'ok'), checks: Object.fromEntries(states) };
  };
}

function sharing(check: ReadinessCheck): () => Promise<CheckState> {
  let running: Promise<CheckState> | undefined;
  return () => {
    running ??= stateOf(check).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function stateOf(check: ReadinessCheck): Promise<CheckState> {
  try {
    await check();
    return 'ok';
  } catch {
    return 'failed';
  }
}
