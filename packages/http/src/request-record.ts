import type { RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@artist-watch/observability/logger';
import type { Span, Tracing } from '@artist-watch/observability/tracing/tracing';
import type { RequestContext } from './request-context.js';

/** Called with each request that has ended, whichever way. */
export type OnEnd<Context extends RequestContext> = (context: Context, durationMs: number) => void;

/** What is observed of a request in the service's own histogram. */
export interface RequestMeasure {
  readonly method: string;
  /** `none` where there is none. */
  readonly route: string;
  /** Of the failure, where one came after the head of a 200. */
  readonly status: number;
  readonly seconds: number;
  /** The caller went away before the whole answer was written. */
  readonly cutShort: boolean;
}

/** What is kept of each request: one wide line in the log, and one observation. */
export function requestRecord<Context extends RequestContext>(
  log: Logger,
  observe: (measure: RequestMeasure) => void,
): OnEnd<Context> {
  return (context, durationMs) => {
    const { request, response, outcome, route, recordedStatus: status } = context;
    const cutShort = !response.writableFinished;
    const method = methodLabel(request.method);
    observe({ method, route: route ?? 'none', status, seconds: durationMs / 1000, cutShort });
    const level = levelOf(status, outcome.fault);
    if (!log.isOn(level)) return;
    log[level]('request.answered', {
      requestId: context.requestId,
      method: request.method,
      path: pathOf(request.url),
      route,
      status: response.statusCode,
      code: outcome.code,
      durationMs: Math.round(durationMs * 100) / 100,
      accountId: context.accountId,
      ...context.logFields,
      cutShort: cutShort || undefined,
      operatorText: outcome.operatorText,
      error: outcome.fault,
    });
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT']);

/** A caller chooses the method, and must not choose how many series there are. */
function methodLabel(method: string | undefined): string {
  return method !== undefined && METHODS.has(method) ? method : 'other';
}

function levelOf(status: number, fault: unknown): 'info' | 'warn' | 'error' {
  // A fault after the head was sent leaves a success that was cut.
  if (status < 500) return fault === undefined ? 'info' : 'warn';
  return status === 500 && fault !== undefined ? 'error' : 'warn';
}

const MAX_PATH_CHARS = 200;

/** Without the query, which may hold what a customer would not want in a log. */
function pathOf(url: string | undefined): string {
  return (url ?? '').split('?', 1)[0]?.slice(0, MAX_PATH_CHARS) ?? '';
}

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
