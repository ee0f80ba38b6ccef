import { ApiError } from '@artist-watch/contracts/api/errors';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import type { Identity } from '../../../application/access/identity.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { defaultSince, reachOf } from '../../../application/reading/history.js';
import { type FilterInput, type StoredFilter, storedFilter } from '../filter-input.js';
import { type ChangesCursor, readCursor, writeCursor } from './cursor.js';
import type { ListChangesInput } from './schema.js';

export interface ChangesPage {
  /** As it is sent, in UTF-8. */
  readonly body: Uint8Array;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** The instant that was used in place of an older one; undefined when it was the one asked for. */
  readonly historySince: Date | undefined;
}

/** A page of the account's feed, newest first, no older than its plan's history. */
export async function listChanges(
  { feed, cursorSeal }: { readonly feed: FeedStore; readonly cursorSeal: CursorSeal },
  { accountId, plan }: Identity,
  { since, limit, cursor, filter, until }: ListChangesInput,
  now: Date,
): Promise<ChangesPage> {
  const earlier = cursor === undefined ? undefined : readCursor(cursorSeal, accountId, cursor);
  if (earlier && since) refuseOtherSince(earlier, since);
  if (earlier) refuseOtherFilter(earlier, { filter, until });
  const wanted = earlier?.asked ?? { filter, until };
  const asked = earlier?.since ?? since ?? defaultSince(now);
  const reach = reachOf(asked, plan, now);
  const page = await feed.readPage({ accountId, since: reach.since, after: earlier?.after, limit, ...wanted });
  const nextCursor = page.next
    ? writeCursor(cursorSeal, accountId, { since: asked, after: page.next, asked: wanted })
    : null;
  return {
    body: bodyOf(page.items, nextCursor),
    nextCursor,
    historySince: reach.clamped ? reach.since : undefined,
  };
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

/** A cursor goes on with the list that it came from, and `since` makes another list. */
function refuseOtherSince(earlier: ChangesCursor, since: Date): void {
  if (earlier.since.getTime() === since.getTime()) return;
  throw new ApiError('invalid_cursor', '"cursor" belongs to a list with another "since"; leave "since" out.');
}

/** As other filters make another list. */
function refuseOtherFilter(earlier: ChangesCursor, asked: FilterInput): void {
  const [before, now] = [storedFilter(earlier.asked), storedFilter(asked)];
  for (const [name, value] of Object.entries(now ?? {})) {
    if (JSON.stringify(value) === JSON.stringify(before?.[name as keyof StoredFilter])) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}
