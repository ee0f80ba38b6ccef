import { BASE_PATH } from '../route.js';

/**
 * The `Link` header of a list (RFC 8288); empty on the last page.
 *
 * @param path of the operation: `/changes`.
 * @param kept parameters of this request that the next one needs besides the cursor.
 */
export function linkToNext(
  path: string,
  query: URLSearchParams,
  nextCursor: string | null,
  kept: readonly string[],
): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URLSearchParams({ cursor: nextCursor });
  for (const name of kept) {
    const value = query.get(name);
    if (value !== null) next.set(name, value);
  }
  return { Link: `<${BASE_PATH}${path}?${next}>; rel="next"` };
}
