import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Request, Response, Router } from 'express';
import type { RequestContext } from '../request-context.js';

/** The response object in routes of a standalone router. */
export type RoutedResponse<Context extends RequestContext> = Response<unknown, { context: Context }>;

/**
 * Handles a request with an express router but without an express application. The application would replace the
 * prototypes of each request and response, which costs 54 KB per request, a seventh of it until a full garbage
 * collection (docs/adr/0017). We use nothing that it adds. Routes find the context in `response.locals`.
 */
export function answerByRouter(router: Router, context: RequestContext): void {
  const { request, response } = context;
  Object.assign(response, { locals: { context } });
  router(request as Request, response as Response, (error?: unknown) => {
    context.fail(error === undefined || isUndecodable(error) ? notFound() : error);
  });
}

function notFound(): ApiError {
  return new ApiError('not_found', 'There is nothing at this address.');
}

/** True for a path with an invalid percent-encoding. */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
}
