import { randomUUID } from 'node:crypto';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { RequestHandler } from 'express';
import type { Visit } from '../../application/page.js';

export interface RequestRecord {
  readonly middleware: RequestHandler;
}

/** What is kept of each request: one wide line in the log, and one observation by route and status. */
export function requestRecord(log: Logger, metrics: Metrics): RequestRecord {
  const seconds = metrics.histogram({
    name: 'dashboard_request_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labels: ['method', 'route', 'status'],
  });
  return {
    middleware: (request, response, next) => {
      const startedAtMs = performance.now();
      const requestId = randomUUID();
      response.setHeader('X-Request-Id', requestId);
      response.once('close', () => {
        const durationMs = performance.now() - startedAtMs;
        const { route = 'none', visit, fault, cutBy } = response.locals as RequestLocals;
        const { statusCode: status } = response;
        const method = request.method === 'GET' || request.method === 'POST' ? request.method : 'other';
        seconds.observe({ method, route, status }, durationMs / 1000);
        const level = status < 500 ? (cutBy === undefined ? 'info' : 'warn') : status === 500 ? 'error' : 'warn';
        if (!log.isOn(level)) return;
        log[level]('request.answered', {
          requestId,
          method,
          route,
          status,
          durationMs: Math.round(durationMs * 100) / 100,
          accountId: visit?.account.id,
          memberId: visit?.member.id,
          clientAddress: request.ip,
          cutShort: response.writableFinished ? undefined : true,
          error: status >= 500 ? fault : cutBy,
        });
      });
      next();
    },
  };
}

interface RequestLocals {
  readonly route?: string;
  readonly visit?: Visit;
  readonly fault?: unknown;
  /** What ended a file midway. */
  readonly cutBy?: unknown;
}
