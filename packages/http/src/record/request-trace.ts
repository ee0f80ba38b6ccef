import type { RequestListener, ServerResponse } from 'node:http';
import type { Span, Tracing } from '@artist-watch/observability/tracing/tracing';
import type { RequestContext } from '../request-context.js';
import type { OnEnd } from './request-record.js';

export interface RequestTrace {
  around(listener: RequestListener): RequestListener;
  /** What is recorded of a request at its end belongs to its trace, and names the span. */
  atEnd<Context extends RequestContext>(onEnd: OnEnd<Context>): OnEnd<Context>;
}

const untraced: RequestTrace = { around: (listener) => listener, atEnd: (onEnd) => onEnd };

/**
 * Each request as a span (W3C Trace Context).
 *
 * @param callers `trusted`: as part of the trace that the caller names. `customers`: as a trace of its own, linked to the
 *   caller's (section 4.3: restart the trace), since as part of it, its sampled flag or its choice of a trace id would
 *   decide what we record.
 */
export function requestTrace(tracing: Tracing, callers: 'trusted' | 'customers'): RequestTrace {
  if (!tracing.isOn) return untraced;
  const spans = new WeakMap<ServerResponse, Span>();
  return {
    around: (listener) => (request, response) => {
      const { traceparent } = request.headers;
      const given = typeof traceparent === 'string' ? traceparent : null;
      const from = callers === 'trusted' ? { parent: given } : { parent: null, link: given ?? undefined };
      const span = tracing.begin(request.method ?? 'request', { kind: 'server', ...from });
      spans.set(response, span);
      span.within(() => listener(request, response));
    },
    atEnd: (onEnd) => (context, durationMs) => {
      const span = spans.get(context.response);
      if (!span) {
        onEnd(context, durationMs);
        return;
      }
      span.within(() => onEnd(context, durationMs));
      nameSpan(span, context);
      span.end();
    },
  };
}

function nameSpan(span: Span, { request, response, route, requestId, accountId }: RequestContext): void {
  if (route !== undefined) span.rename(`${request.method} ${route}`);
  span.set({
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': response.statusCode,
    'request.id': requestId,
    'account.id': accountId,
  });
  if (response.statusCode >= 500) span.fail(String(response.statusCode));
}
