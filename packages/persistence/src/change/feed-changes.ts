import type { ConfirmedChange } from '@artist-watch/contracts/api/change-item';
import type { ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { readConfirmedChanges } from './confirmed-changes.js';
import { type FeedPosition, type FeedRange, readFeedIds } from './feed-range.js';

/** One page of a filtered feed with the changes themselves, newest first; without those that were pruned just now. */
export async function readFeedChanges(
  pool: pg.Pool,
  range: FeedRange,
  limit: number,
): Promise<{
  readonly changes: readonly (ConfirmedChange & { readonly id: ChangeId })[];
  /** The list goes on after this place; undefined at its end. */
  readonly next: FeedPosition | undefined;
}> {
  const { ids, next } = await readFeedIds(pool, range, limit);
  const found = new Map((await readConfirmedChanges(pool, ids)).map((change) => [change.id, change]));
  return { changes: ids.flatMap((id) => found.get(id) ?? []), next };
}
