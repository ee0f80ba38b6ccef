import { ApiError } from '@artist-watch/contracts/api/errors';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type { FeedPosition } from '@artist-watch/persistence/change/feed-range';
import { z } from 'zod';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { type FilterInput, openedFilter, storedFilter, storedFilterSchema } from '../filter-input.js';

/** Where the next page of changes begins, and what was asked for. */
export interface ChangesCursor {
  /** Before the plan's history cut it short. */
  readonly since: Date;
  readonly after: FeedPosition;
  readonly asked: FilterInput;
}

const contentSchema = z.tuple([z.int(), z.int(), z.string(), storedFilterSchema.optional()]);

const scopeOf = (accountId: AccountId) => `changes:${accountId}`;

export function writeCursor(seal: CursorSeal, accountId: AccountId, { since, after, asked }: ChangesCursor): string {
  const filter = storedFilter(asked);
  const place = [since.getTime(), after.confirmedAt.getTime(), after.changeId];
  return seal.close(scopeOf(accountId), filter ? [...place, filter] : place);
}

/** @throws ApiError `invalid_cursor` for what this list did not give to this account. */
export function readCursor(seal: CursorSeal, accountId: AccountId, cursor: string): ChangesCursor {
  const content = contentSchema.safeParse(seal.open(scopeOf(accountId), cursor));
  if (!content.success) {
    throw new ApiError('invalid_cursor', '"cursor" must be the "next_cursor" of an earlier page of this list.');
  }
  const [since, confirmedAt, changeId, filter] = content.data;
  return {
    since: new Date(since),
    after: { confirmedAt: new Date(confirmedAt), changeId: changeId as ChangeId },
    asked: openedFilter(filter),
  };
}
