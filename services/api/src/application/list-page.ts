import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { invalidParam } from '@artist-watch/contracts/api/errors';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/fields';
import { type Answer, jsonAnswer } from '@artist-watch/http/answer/answer';
import { z } from 'zod';

const MAC_BYTES = 16;
const MAX_CURSOR_CHARS = 4_096;

export const NEXT_PAGE = 'To get the next page, send only `cursor` (and `limit`).';

export type CursorSeal = ReturnType<typeof createCursorSeal>;

/**
 * Creates and reads authenticated cursors (base64url of an HMAC-SHA256 and JSON). The same content always results in
 * the same cursor, so an unchanged page keeps its ETag.
 *
 * @param encryptionKey ENCRYPTION_KEY, from which the cursors' key is derived (RFC 5869).
 * @param retiredKeys ENCRYPTION_KEYS_RETIRED, needed because clients may keep `after` cursors for months.
 */
export function createCursorSeal(encryptionKey: Uint8Array, retiredKeys: readonly Uint8Array[] = []) {
  const keyFrom = (source: Uint8Array) =>
    new Uint8Array(hkdfSync('sha256', source, '', 'artist-watch list cursor', 32));
  const key = keyFrom(encryptionKey);
  const keys = [key, ...retiredKeys.map(keyFrom)];
  const macOf = (scope: string, content: Buffer, by = key) =>
    createHmac('sha256', by).update(`${scope}\n`).update(content).digest().subarray(0, MAC_BYTES);
  return {
    /** @param scope identifies the list and the account. It is not stored in the cursor. */
    close(scope: string, content: readonly unknown[]): string {
      const bytes = Buffer.from(JSON.stringify(content));
      return Buffer.concat([macOf(scope, bytes), bytes]).toString('base64url');
    },
    open(scope: string, cursor: string): readonly unknown[] | undefined {
      if (cursor.length > MAX_CURSOR_CHARS) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      // Node's decoder ignores invalid characters and unused bits, so encode the bytes again and compare.
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const content = bytes.subarray(MAC_BYTES);
      const mac = bytes.subarray(0, MAC_BYTES);
      if (!keys.some((by) => timingSafeEqual(mac, macOf(scope, content, by)))) return undefined;
      return JSON.parse(content.toString('utf8')) as readonly unknown[];
    },
  };
}

/** @throws ApiError `invalid_cursor` if a filter differs from the one in the cursor */
export function refuseOtherFilter(earlier: Readonly<Record<string, unknown>> = {}, asked: object = {}): void {
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(earlier[name])) continue;
    throw invalidParam('invalid_cursor', 'cursor', `"cursor" was sent with different filters. ${NEXT_PAGE}`);
  }
}

/**
 * Returns undefined for the first page.
 *
 * @param scope identifies the list and the account
 * @throws ApiError `invalid_cursor` if the cursor belongs to a different list or account
 */
export function openCursor<Schema extends z.ZodType>(
  seal: CursorSeal,
  scope: string,
  cursor: string | undefined,
  schema: Schema,
): z.output<Schema> | undefined {
  if (cursor === undefined) return undefined;
  const content = schema.safeParse(seal.open(scope, cursor));
  if (content.success) return content.data;
  throw invalidParam(
    'invalid_cursor',
    'cursor',
    '"cursor" must be the "next_cursor" of the previous page of this list.',
  );
}

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
