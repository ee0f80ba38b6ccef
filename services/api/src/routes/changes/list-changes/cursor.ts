import { ApiError } from '@artist-watch/contracts/api/api-error';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import type { FeedPosition } from '../../../application/reading/ports.js';

/** Where the next page of changes begins, and from when on the list was asked for. */
export interface ChangesCursor {
  /** Before the plan's history cut it short. */
  readonly since: Date;
  readonly after: FeedPosition;
}

const contentSchema = z.tuple([z.int(), z.int(), z.string()]);

const scopeOf = (accountId: AccountId) => `changes:${accountId}`;

export function writeCursor(seal: CursorSeal, accountId: AccountId, { since, after }: ChangesCursor): string {
  return seal.close(scopeOf(accountId), [since.getTime(), after.confirmedAt.getTime(), after.changeId]);
}

/** @throws ApiError `invalid_cursor` for what this list did not give to this account. */
export function readCursor(seal: CursorSeal, accountId: AccountId, cursor: string): ChangesCursor {
  const content = contentSchema.safeParse(seal.open(scopeOf(accountId), cursor));
  if (!content.success) {
    throw new ApiError('invalid_cursor', '"cursor" must be the "next_cursor" of an earlier page of this list.');
  }
  const [since, confirmedAt, changeId] = content.data;
  return { since: new Date(since), after: { confirmedAt: new Date(confirmedAt), changeId: changeId as ChangeId } };
}
