import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Request, Response, Router } from 'express';
import type { RequestContext } from '../request-context.js';

/** The response object that the routes of a standalone router receive. */
export type RoutedResponse<Context extends RequestContext> = Response<unknown, { context: Context }>;

/**
 * Runs an Express router without an Express application. An application would replace the prototypes of each request
 * and response, which takes 54 KB of memory per request (docs/adr/0017). Routes find the context in `response.locals`.
 *
 * @param notFound creates the error for a path without a route.
 */
export function answerByRouter(
  router: Router,
  context: RequestContext,
  notFound = () => new ApiError('not_found', 'This URL does not exist.'),
): void {
  const { request, response } = context;
  Object.assign(response, { locals: { context } });
  router(request as Request, response as Response, (error?: unknown) => {
    context.fail(error === undefined || isUndecodable(error) ? notFound() : error);
  });
}

/** True if the path has invalid percent-encoding. */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
}
