import { NotFound } from '@artist-watch/domain/refusals';
import { answerByRouter, type RoutedResponse } from '@artist-watch/http/request/standalone-router';
import { type Request, Router } from 'express';
import type { PageContext } from './page-context.js';

/** Answers a page with the parameters of its path. */
export type Answering = (context: PageContext, params: Readonly<Record<string, string>>) => Promise<void>;

interface RoutedPage {
  readonly method: 'GET' | 'POST';
  /** As express writes it. */
  readonly path: string;
  readonly answer: Answering;
}

/**
 * Answers a request by the page of its path. A router compares paths one by one, so there is one for each method and number
 * of segments.
 */
export function pageRouter(pages: readonly RoutedPage[]): (context: PageContext) => void {
  const routers = new Map<string, Router>();
  for (const { method, path, answer } of pages) {
    const kind = kindOf(method, path);
    const router = routers.get(kind) ?? Router();
    routers.set(kind, router);
    router.all(path, (request: Request, response: RoutedResponse<PageContext>) => {
      const { context } = response.locals;
      context.route = path;
      return answer(context, request.params as Record<string, string>);
    });
  }
  return (context) => {
    const { request, path, isRead } = context;
    const router = routers.get(kindOf(isRead ? 'GET' : request.method, path));
    // No id has a zero byte, which PostgreSQL takes in no text.
    if (router && !path.includes('%00')) answerByRouter(router, context);
    else context.fail(new NotFound('page'));
  };
}

function kindOf(method: string | undefined, path: string): string {
  return `${method} ${path.split('/').filter((segment) => segment !== '').length}`;
}
