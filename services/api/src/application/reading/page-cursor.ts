import { ApiError } from '@artist-watch/contracts/api/errors';
import type { z } from 'zod';
import type { CursorSeal } from './cursor-seal.js';

/**
 * What an earlier page wrote into its `next_cursor`.
 *
 * @param scope the list and the account, as they were when it was closed.
 * @throws ApiError `invalid_cursor` for what this list did not give to this account.
 */
export function openCursor<Schema extends z.ZodType>(
  seal: CursorSeal,
  scope: string,
  cursor: string,
  schema: Schema,
): z.output<Schema> {
  const content = schema.safeParse(seal.open(scope, cursor));
  if (content.success) return content.data;
  throw new ApiError('invalid_cursor', '"cursor" must be the "next_cursor" of an earlier page of this list.');
}
