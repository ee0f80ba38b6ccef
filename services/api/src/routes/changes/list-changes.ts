import { ApiError } from '@artist-watch/contracts/api/errors';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import type { CHANGE_OPERATIONS } from '@artist-watch/contracts/api/operations/change-operations';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { ChangeId } from '@artist-watch/domain/ids';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import { z } from 'zod';
import { type CursorSeal, openCursor, refuseOtherFilter } from '../../application/reading/cursor-seal.js';
import { defaultSince, reachOf } from '../../application/reading/history.js';
import { changeFilter, openedFilter, storedFilter, storedFilterSchema } from './change-filter.js';

/** `since` as it was asked for, before the plan's history cut it short, the last item of the page, and the filter. */
const contentSchema = z.tuple([z.int(), z.int(), z.string(), storedFilterSchema.optional()]);

/** A page of the account's feed, newest first, no older than its plan's history (docs/reference/api.md). */
export async function listChanges(
  { feed, cursorSeal }: { readonly feed: FeedStore; readonly cursorSeal: CursorSeal },
  { accountId, plan }: Principal,
  query: z.output<typeof CHANGE_OPERATIONS.listChanges.query>,
  now: Date,
) {
  const { since, limit = MAX_PAGE_ITEMS, cursor } = query;
  const scope = `changes:${accountId}`;
  const given = changeFilter(query);
  const [sinceMs, lastMs = 0, lastId, filter] = openCursor(cursorSeal, scope, cursor, contentSchema) ?? [];
  if (sinceMs !== undefined) {
    if (since && since.getTime() !== sinceMs) {
      throw new ApiError('invalid_cursor', '"cursor" belongs to a list with another "since"; leave "since" out.');
    }
    refuseOtherFilter(filter, storedFilter(given));
  }
  const wanted = sinceMs === undefined ? given : openedFilter(filter);
  const asked = sinceMs === undefined ? (since ?? defaultSince(now)) : new Date(sinceMs);
  const after = lastId === undefined ? undefined : { confirmedAt: new Date(lastMs), changeId: lastId as ChangeId };
  const reach = reachOf(asked, plan, now);
  const { items, next } = await feed.readPage({ accountId, since: reach.since, after, limit, ...wanted });
  const stored = storedFilter(wanted);
  const nextCursor = next
    ? cursorSeal.close(scope, [
        ...[asked.getTime(), next.confirmedAt.getTime(), next.changeId],
        ...(stored ? [stored] : []),
      ])
    : null;
  return { body: bodyOf(items, nextCursor), nextCursor, reach };
}

const HEAD = Buffer.from('{"data":[');
const COMMA = Buffer.from(',');

/** The items are copied as they are: text would be put together first and then encoded. */
function bodyOf(items: readonly Uint8Array[], nextCursor: string | null): Uint8Array {
  const pieces: Uint8Array[] = [HEAD];
  for (const item of items) {
    if (pieces.length > 1) pieces.push(COMMA);
    pieces.push(item);
  }
  return Buffer.concat([...pieces, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`)]);
}
