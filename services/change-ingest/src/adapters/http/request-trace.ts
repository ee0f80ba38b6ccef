import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { RequestHandler } from 'express';

/** Each request as a span: of the caller's trace where it tells of one (W3C Trace Context), of a new one otherwise. */
export function requestTrace(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    if (!tracing.isOn) return next();
    const { traceparent } = request.headers;
    const parent = typeof traceparent === 'string' ? traceparent : null;
    const span = tracing.begin(request.method, { kind: 'server', parent });
    response.locals.span = span;
    response.once('close', () => {
      const { route } = response.locals;
      if (typeof route === 'string') span.rename(`${request.method} ${route}`);
      span.set({ 'http.request.method': request.method, 'http.response.status_code': response.statusCode });
      if (response.statusCode >= 500) span.fail(String(response.statusCode));
      span.end();
    });
    span.within(() => next());
  };
}
