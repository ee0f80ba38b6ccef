import type { RequestListener, ServerResponse } from 'node:http';
import type { Span, Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Exchange } from './exchange.js';

type OnEnd = (exchange: Exchange, durationMs: number) => void;

export interface RequestTrace {
  around(listener: RequestListener): RequestListener;
  /** What is told of a request at its end belongs to its trace, and names the span. */
  atEnd(onEnd: OnEnd): OnEnd;
}

const untraced: RequestTrace = { around: (listener) => listener, atEnd: (onEnd) => onEnd };

/**
 * Each request as a span that begins a trace, linked to the caller's where it sends one (W3C Trace Context, section 4.3:
 * restart the trace). As part of the caller's trace, its sampled flag or its choice of a trace id would decide what we
 * record.
 */
export function requestTrace(tracing: Tracing): RequestTrace {
  if (!tracing.isOn) return untraced;
  const spans = new WeakMap<ServerResponse, Span>();
  return {
    around: (listener) => (request, response) => {
      const { traceparent } = request.headers;
      const link = typeof traceparent === 'string' ? traceparent : undefined;
      const span = tracing.begin(request.method ?? 'request', { kind: 'server', parent: null, link });
      spans.set(response, span);
      span.within(() => listener(request, response));
    },
    atEnd: (onEnd) => (exchange, durationMs) => {
      const span = spans.get(exchange.response);
      if (!span) {
        onEnd(exchange, durationMs);
        return;
      }
      span.within(() => onEnd(exchange, durationMs));
      nameSpan(span, exchange);
      span.end();
    },
  };
}

function nameSpan(span: Span, { request, response, route, requestId, identity }: Exchange): void {
  if (route !== undefined) span.rename(`${request.method} ${route}`);
  span.set({
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': response.statusCode,
    'request.id': requestId,
    'account.id': identity?.accountId,
  });
  if (response.statusCode >= 500) span.fail(String(response.statusCode));
}
