import type { RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@artist-watch/observability/logger';
import type { Span, Tracing } from '@artist-watch/observability/tracing/tracing';
import type { RequestContext } from './request-context.js';

export type OnEnd<Context extends RequestContext> = (context: Context, durationMs: number) => void;

export interface RequestMeasure {
  readonly method: string;
  readonly route: string;
  /** The response's status, or the error's status if the response failed after its headers. */
  readonly status: number;
  readonly seconds: number;
  /** True if the client disconnected before the response was complete. */
  readonly cutShort: boolean;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT']);
const MAX_PATH_CHARS = 200;

export function requestRecord<Context extends RequestContext>(
  log: Logger,
  observe: (measure: RequestMeasure) => void,
): OnEnd<Context> {
  return (context, durationMs) => {
    const { request, response, outcome, route, recordedStatus: status } = context;
    const cutShort = !response.writableFinished;
    // Unknown methods share one label value, because clients can send any method.
    const method = METHODS.has(request.method ?? '') ? (request.method as string) : 'other';
    observe({ method, route: route ?? 'none', status, seconds: durationMs / 1000, cutShort });
    const level = levelOf(status, outcome.fault);
    if (!log.isOn(level)) return;
    log[level]('request.answered', {
      requestId: context.requestId,
      method: request.method,
      // The query may contain data that must not be logged.
      path: request.url?.split('?', 1)[0]?.slice(0, MAX_PATH_CHARS) ?? '',
      route,
      status: response.statusCode,
      code: outcome.code,
      durationMs: Math.round(durationMs * 100) / 100,
      ...context.logFields,
      cutShort: cutShort || undefined,
      operatorText: outcome.operatorText,
      error: outcome.fault,
    });
  };
}

function levelOf(status: number, fault: unknown): 'info' | 'warn' | 'error' {
  // If the status is below 500, the error occurred after the headers had been sent.
  if (status < 500) return fault === undefined ? 'info' : 'warn';
  return status === 500 && fault !== undefined ? 'error' : 'warn';
}

export interface RequestTrace {
  around(listener: RequestListener): RequestListener;
  /** Runs `onEnd` in the request's span, then ends the span. */
  atEnd<Context extends RequestContext>(onEnd: OnEnd<Context>): OnEnd<Context>;
}

const untraced: RequestTrace = { around: (listener) => listener, atEnd: (onEnd) => onEnd };

/**
 * Traces each request as a span (W3C Trace Context).
 *
 * @param callers for `trusted`, each span continues the caller's trace. For `customers`, each span starts a new trace
 * that links to the caller's (section 4.3), because customers must not control what we record.
 */
export function requestTrace(tracing: Tracing, callers: 'trusted' | 'customers'): RequestTrace {
  if (!tracing.isOn) return untraced;
  const spans = new WeakMap<ServerResponse, Span>();
  return {
    around: (listener) => (request, response) => {
      const { traceparent } = request.headers;
      const received = typeof traceparent === 'string' ? traceparent : null;
      const from = callers === 'trusted' ? { parent: received } : { parent: null, link: received ?? undefined };
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

function nameSpan(span: Span, { request, response, route, requestId, logFields }: RequestContext): void {
  if (route !== undefined) span.rename(`${request.method} ${route}`);
  span.set({
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': response.statusCode,
    'request.id': requestId,
    'account.id': logFields.accountId,
  });
  if (response.statusCode >= 500) span.fail(String(response.statusCode));
}
