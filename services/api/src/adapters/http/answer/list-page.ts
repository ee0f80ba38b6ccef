import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import { type Answer, jsonAnswer } from '@artist-watch/http/answer/answer';
import { z } from 'zod';
import { type CursorSeal, openCursor } from '../../../application/cursor-seal.js';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Returns the `Link` header for a list (RFC 8288), or no header on the last page.
 *
 * @param url the request URL without its query, such as `/v1/changes`
 */
export function linkToNext(url: string, { limit }: PageQuery, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URLSearchParams({ cursor: nextCursor, ...(limit !== undefined && { limit: String(limit) }) });
  return linkTo(url, next);
}

export function linkTo(url: string, parameters: URLSearchParams): { readonly Link: string } {
  return { Link: `<${url}?${parameters}>; rel="next"` };
}

const idContent = z.tuple([z.string()]);

export async function answerPage<Item extends { readonly id: string }>(
  seal: CursorSeal,
  list: { readonly url: string; readonly scope: string; readonly query: PageQuery },
  read: (range: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly Item[]>,
  present: (item: Item) => unknown,
): Promise<Answer> {
  const { url, scope, query } = list;
  const { limit = MAX_PAGE_ITEMS } = query;
  const [after] = openCursor(seal, scope, query.cursor, idContent) ?? [];
  // Read one extra item to find out whether there is a next page.
  const items = await read({ after, limit: limit + 1 });
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1) : undefined;
  const next_cursor = last ? seal.close(scope, [last.id]) : null;
  return jsonAnswer(200, { data: page.map(present), next_cursor }, linkToNext(url, query, next_cursor));
}
