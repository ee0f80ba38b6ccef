import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import express, { type Express, type RequestHandler } from 'express';
import { IngestRefusal } from '../../application/refusal.js';
import { answerRefusals } from './answer-refusals.js';
import { bearerCheck } from './authenticate.js';
import { parseBody, readBody } from './json-body.js';
import { requestLog } from './request-log.js';
import { requestTrace } from './request-trace.js';

/** Something that is told to us by POST. */
export interface IngestRoute {
  readonly path: string;
  /** Resolves with the body of the 202 once what was told is durable; throws an IngestRefusal otherwise. */
  accept(body: unknown): Promise<object>;
}

export interface IngestAppOptions {
  /** INGEST_TOKEN */
  readonly token: string;
  readonly routes: readonly IngestRoute[];
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

/** `/ingest/v1/…` (docs/reference/ingest.md): authentication first, then route and method, then input. */
export function createIngestApp({ token, routes, log, metrics, tracing }: IngestAppOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.enable('strict routing').enable('case sensitive routing');
  app.use(requestTrace(tracing));
  app.use(requestLog(log, metrics));
  app.use(authenticated(token));
  for (const route of routes) {
    app
      .route(route.path)
      .all(onlyPost(route.path))
      .post(readBody(), async (request, response) => {
        const answer = await route.accept(parseBody(request));
        response.status(202).type('application/json').send(JSON.stringify(answer));
      });
  }
  app.use(() => {
    throw new IngestRefusal('not_found', 'There is nothing at this path.');
  });
  app.use(answerRefusals(log));
  return app;
}

function authenticated(token: string): RequestHandler {
  const check = bearerCheck(token);
  return (request, _response, next) => {
    check(request.headers.authorization);
    next();
  };
}

function onlyPost(path: string): RequestHandler {
  return (request, response, next) => {
    response.locals.route = path;
    if (request.method === 'POST') return next();
    response.set('Allow', 'POST');
    throw new IngestRefusal('method_not_allowed', 'This path takes POST only.');
  };
}
