import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import { type Answer, jsonAnswer } from '@artist-watch/http/answer/answer';
import { z } from 'zod';
import { type CursorSeal, openCursor } from '../../../application/cursor-seal.js';
import { BASE_PATH } from '../route.js';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Returns the `Link` header of a list (RFC 8288). Empty on the last page.
 *
 * @param path the path of the request, such as `/changes`
 */
export function linkToNext(path: string, { limit }: PageQuery, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URLSearchParams({ cursor: nextCursor, ...(limit !== undefined && { limit: String(limit) }) });
  return linkTo(path, next);
}

export function linkTo(path: string, parameters: URLSearchParams): { readonly Link: string } {
  return { Link: `<${BASE_PATH}${path}?${parameters}>; rel="next"` };
}

const idContent = z.tuple([z.string()]);

export async function answerPage<Item extends { readonly id: string }>(
  seal: CursorSeal,
  list: { readonly path: string; readonly scope: string; readonly query: PageQuery },
  read: (range: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly Item[]>,
  present: (item: Item) => unknown,
): Promise<Answer> {
  const { path, scope, query } = list;
  const { limit = MAX_PAGE_ITEMS } = query;
  const [after] = openCursor(seal, scope, query.cursor, idContent) ?? [];
  // The extra item shows whether there is a next page.
  const items = await read({ after, limit: limit + 1 });
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1) : undefined;
  const next_cursor = last ? seal.close(scope, [last.id]) : null;
  return jsonAnswer(200, { data: page.map(present), next_cursor }, linkToNext(path, query, next_cursor));
}
