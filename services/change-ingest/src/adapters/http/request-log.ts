import { randomUUID } from 'node:crypto';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { withContext } from '@artist-watch/observability/request-context';
import type { Span } from '@artist-watch/observability/tracing/tracing';
import type { RequestHandler, Response } from 'express';

const CALLERS_OWN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Gives each request an id (the caller's own where it is harmless), and writes one `request.answered` line with the
 * status and the duration when it has ended.
 */
export function requestLog(log: Logger, metrics: Metrics): RequestHandler {
  const seconds = metrics.histogram({
    name: 'ingest_request_seconds',
    help: 'Time to answer a request of ingest.',
    labels: ['route', 'status'],
  });
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && CALLERS_OWN_ID.test(given) ? given : randomUUID();
    response.set('X-Request-Id', requestId);
    const beganAtMs = performance.now();
    response.once('close', () => {
      const durationMs = performance.now() - beganAtMs;
      const route = typeof response.locals.route === 'string' ? response.locals.route : 'none';
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      seconds.observe({ route, status }, durationMs / 1000);
      inTrace(response, () =>
        log.info('request.answered', {
          requestId,
          method: request.method,
          route,
          status,
          refusal: response.locals.refusal,
          durationMs: Math.round(durationMs * 10) / 10,
        }),
      );
    });
    withContext({ requestId }, () => next());
  };
}

/** A response closes in nobody's context. */
function inTrace({ locals }: Response, write: () => void): void {
  const span = locals.span as Span | undefined;
  if (span) span.within(write);
  else write();
}
