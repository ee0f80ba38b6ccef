import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Request, Response, Router } from 'express';
import type { RequestContext } from '../request-context.js';

export type RoutedResponse<Context extends RequestContext> = Response<unknown, { context: Context }>;

/**
 * Runs an Express router without an Express application, which would use 54 KB per request (docs/adr/0017).
 *
 * @param notFound creates the error if no route matches the path.
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

function isUndecodable(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
}
