import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { invalidParam } from '@artist-watch/contracts/api/errors';
import type { z } from 'zod';

const MAC_BYTES = 16;
const MAX_CURSOR_CHARS = 4_096;

export const NEXT_PAGE = 'For the next page send only `cursor` (and `limit`).';

export type CursorSeal = ReturnType<typeof createCursorSeal>;

/**
 * Creates and reads authenticated cursors. A cursor is the base64url encoding of a 16-byte HMAC-SHA256 and the content
 * as JSON. The same content always gives the same cursor, so an unchanged page keeps its ETag.
 *
 * @param encryptionKey ENCRYPTION_KEY. The key for cursors is derived from it (RFC 5869).
 * @param retiredKeys ENCRYPTION_KEYS_RETIRED. Cursors made with these keys stay valid, because clients keep `after`
 *   cursors for months.
 */
export function createCursorSeal(encryptionKey: Uint8Array, retiredKeys: readonly Uint8Array[] = []) {
  const keyFrom = (source: Uint8Array) =>
    new Uint8Array(hkdfSync('sha256', source, '', 'artist-watch list cursor', 32));
  const key = keyFrom(encryptionKey);
  const keys = [key, ...retiredKeys.map(keyFrom)];
  const macOf = (scope: string, content: Buffer, by = key) =>
    createHmac('sha256', by).update(`${scope}\n`).update(content).digest().subarray(0, MAC_BYTES);
  return {
    /**
     * @param scope identifies the list and the account for which the cursor is valid. It is not stored in the cursor.
     */
    close(scope: string, content: readonly unknown[]): string {
      const bytes = Buffer.from(JSON.stringify(content));
      return Buffer.concat([macOf(scope, bytes), bytes]).toString('base64url');
    },
    /** @returns undefined if the cursor has a different scope or was altered */
    open(scope: string, cursor: string): readonly unknown[] | undefined {
      if (cursor.length > MAX_CURSOR_CHARS) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      // Encoding the bytes again detects altered cursors, because Node's decoder ignores invalid characters and unused
      // bits.
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const content = bytes.subarray(MAC_BYTES);
      const mac = bytes.subarray(0, MAC_BYTES);
      if (!keys.some((by) => timingSafeEqual(mac, macOf(scope, content, by)))) return undefined;
      return JSON.parse(content.toString('utf8')) as readonly unknown[];
    },
  };
}

/**
 * Checks that the filters of a request are the filters in its cursor. @throws ApiError `invalid_cursor` if they differ
 */
export function refuseOtherFilter(earlier: Readonly<Record<string, unknown>> = {}, asked: object = {}): void {
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(earlier[name])) continue;
    throw invalidParam('invalid_cursor', 'cursor', `"cursor" was sent with different filters. ${NEXT_PAGE}`);
  }
}

/**
 * Returns the content of a cursor, or undefined for the first page.
 *
 * @param scope identifies the list and the account @throws ApiError `invalid_cursor` if the cursor belongs to another
 *   list or account
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
