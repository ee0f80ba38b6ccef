import type { IncomingMessage, RequestListener } from 'node:http';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { RequestsInProgress } from '@artist-watch/http/limit/requests-in-progress';
import { bodyReader } from '@artist-watch/http/request/request-body';
import { refuseAmbiguous } from '@artist-watch/http/request/request-head';
import { RequestContext } from '@artist-watch/http/request-context';
import type { OnEnd } from '@artist-watch/http/request-record';
import { withContext } from '@artist-watch/observability/logger';
import { bearerCheck, type IngestRoute } from './ingest-routes.js';

export interface IngestListenerOptions {
  /** INGEST_TOKEN */
  readonly tokens: readonly string[];
  readonly routes: readonly IngestRoute[];
  readonly monotonicMs: () => number;
  readonly onBegin: (context: RequestContext) => void;
  readonly onEnd: OnEnd<RequestContext>;
}

/** The body may have at most 5 MB after decompression (docs/reference/ingest.md). */
const readBody = bodyReader({ maxBytes: 5_000_000, maxText: '5 MB', inflate: true });

/**
 * Limits the large requests of all detectors together, because a parsed body of 5 MB takes several times as much
 * memory.
 */
const LARGE_IN_PROGRESS = { atOnce: 8, maxWaiting: 200 };
/**
 * Requests up to this size are limited only by the number of connections, so that many of them can share a transaction.
 */
const SMALL_BYTES = 65_536;

/**
 * Serves `/ingest/v1/…` (docs/reference/ingest.md). Checks the authentication first, then the route and method, then
 * the input.
 */
export function ingestListener(options: IngestListenerOptions): RequestListener {
  const { monotonicMs, onBegin, onEnd } = options;
  const authenticate = bearerCheck(options.tokens);
  const inProgress = new RequestsInProgress(LARGE_IN_PROGRESS);
  const routes = new Map(options.routes.map((route) => [route.path, route]));

  async function answer(context: RequestContext): Promise<void> {
    const { request, response } = context;
    if (context.brokenBy) throw context.brokenBy;
    const route = routes.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (!route)
      throw new ApiError('not_found', 'This path does not exist. Use /ingest/v1/changes or /ingest/v1/snapshots.');
    context.route = route.path;
    if (request.method !== 'POST') {
      throw new ApiError('method_not_allowed', 'This path supports only POST requests.', {
        headers: { Allow: 'POST' },
      });
    }
    if (isLarge(request)) await inProgress.enter('detectors', context);
    const body = await readBody(request, response).readJson();
    context.send(jsonAnswer(202, await route.accept(body)));
  }

  return (request, response) => {
    const startedAtMs = monotonicMs();
    const context = new RequestContext(request, response);
    onBegin(context);
    response.once('close', () => onEnd(context, monotonicMs() - startedAtMs));
    try {
      // These checks must run synchronously. Then a rejection stops the parser before the next request of the
      // connection.
      refuseAmbiguous(request);
      authenticate(request.headers.authorization);
    } catch (error) {
      context.fail(error);
      return;
    }
    void withContext({ requestId: context.requestId }, () =>
      answer(context).catch((error: unknown) => context.fail(error)),
    );
  };
}

/**
 * True if the body may be larger than SMALL_BYTES. Chunked and compressed bodies count as large, because their size is
 * unknown.
 */
function isLarge({ headers }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined || !(Number(headers['content-length']) <= SMALL_BYTES);
}
