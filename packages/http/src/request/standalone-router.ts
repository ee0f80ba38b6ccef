import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Request, Response, Router } from 'express';
import type { RequestContext } from '../request-context.js';

/** Of a request that a standalone router has. */
export type RoutedResponse<Context extends RequestContext> = Response<unknown, { context: Context }>;

/**
 * Answers by a router of express without express' application around it: that one gives each request and response another
 * prototype, and then 54 KB of memory go into each request, a seventh of which stays until the whole heap is collected
 * (docs/adr/0017). What it would add is not used here. Routes find the context in `response.locals`.
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

/** A path with `%` that is no percent-encoding of UTF-8 names nothing. */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
}
