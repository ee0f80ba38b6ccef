import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Exchange } from '../exchange.js';

/** What is kept of each request: one wide line in the log, and one observation by route and status. */
export function requestRecord(log: Logger, metrics: Metrics): (exchange: Exchange, durationMs: number) => void {
  const seconds = metrics.histogram({
    name: 'api_request_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labels: ['method', 'route', 'status'],
  });
  return (exchange, durationMs) => {
    const { request, response, identity, outcome, route, rate } = exchange;
    const { statusCode: status } = response;
    seconds.observe({ method: methodLabel(request.method), route: route ?? 'none', status }, durationMs / 1000);
    const level = levelOf(status, outcome.fault);
    if (!log.isOn(level)) return;
    log[level]('request.answered', {
      requestId: exchange.requestId,
      method: request.method,
      path: pathOf(request.url),
      route,
      status,
      code: outcome.code,
      durationMs: Math.round(durationMs * 100) / 100,
      accountId: identity?.accountId,
      keyId: identity?.keyId,
      rateRemaining: rate?.remaining,
      clientAddress: exchange.clientAddress,
      // The caller went away before the whole answer was written.
      cutShort: response.writableFinished ? undefined : true,
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
  if (status < 500) return 'info';
  return status === 500 && fault !== undefined ? 'error' : 'warn';
}

const MAX_PATH_CHARS = 200;

/** Without the query, which may hold what a customer would not want in a log. */
function pathOf(url: string | undefined): string {
  return (url ?? '').split('?', 1)[0]?.slice(0, MAX_PATH_CHARS) ?? '';
}
