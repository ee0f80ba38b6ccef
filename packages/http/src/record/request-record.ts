import type { Logger } from '@artist-watch/observability/logger';
import type { RequestContext } from '../request-context.js';

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
