import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { z } from 'zod';

const MAC_BYTES = 16;
const MAX_CURSOR_CHARS = 4_096;

export type CursorSeal = ReturnType<typeof createCursorSeal>;

/**
 * Makes cursors that only this service can make, and reads them back. A cursor is base64url of a 16-byte HMAC-SHA256 and the
 * content as JSON. The same content makes the same cursor, so a page that did not change keeps its ETag.
 *
 * @param encryptionKey ENCRYPTION_KEY, from which a key for this one use is derived (RFC 5869).
 * @param retiredKeys ENCRYPTION_KEYS_RETIRED: clients keep the cursors of `after` for months.
 */
export function createCursorSeal(encryptionKey: Uint8Array, retiredKeys: readonly Uint8Array[] = []) {
  const keyFrom = (source: Uint8Array) =>
    new Uint8Array(hkdfSync('sha256', source, '', 'artist-watch list cursor', 32));
  const key = keyFrom(encryptionKey);
  const keys = [key, ...retiredKeys.map(keyFrom)];
  const macOf = (scope: string, content: Buffer, by = key) =>
    createHmac('sha256', by).update(`${scope}\n`).update(content).digest().subarray(0, MAC_BYTES);
  return {
    /** @param scope what the cursor is good for: the list and the account. It is not in the cursor. */
    close(scope: string, content: readonly unknown[]): string {
      const bytes = Buffer.from(JSON.stringify(content));
      return Buffer.concat([macOf(scope, bytes), bytes]).toString('base64url');
    },
    /** @returns undefined for what was not closed here with the same scope, or was changed in any way. */
    open(scope: string, cursor: string): readonly unknown[] | undefined {
      if (cursor.length > MAX_CURSOR_CHARS) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      // Node's decoder passes over what is no base64url, and over bits that belong to no byte.
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const content = bytes.subarray(MAC_BYTES);
      const mac = bytes.subarray(0, MAC_BYTES);
      if (!keys.some((by) => timingSafeEqual(mac, macOf(scope, content, by)))) return undefined;
      return JSON.parse(content.toString('utf8')) as readonly unknown[];
    },
  };
}

/**
 * A cursor goes on with the list that it came from, and other filters make another list.
 *
 * @throws ApiError `invalid_cursor` where a filter is asked for that the earlier page did not have.
 */
export function refuseOtherFilter(earlier: Readonly<Record<string, unknown>> = {}, asked: object = {}): void {
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(earlier[name])) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}

/**
 * What an earlier page wrote into its `next_cursor`; undefined for the first page.
 *
 * @param scope the list and the account, as they were when it was closed.
 * @throws ApiError `invalid_cursor` for what this list did not give to this account.
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
  throw new ApiError('invalid_cursor', '"cursor" must be the "next_cursor" of an earlier page of this list.');
}
