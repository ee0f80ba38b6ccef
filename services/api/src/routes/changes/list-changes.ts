import { ApiError } from '@artist-watch/contracts/api/errors';
import { limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/change-operations';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type { FeedPosition } from '@artist-watch/persistence/change/feed-range';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import { z } from 'zod';
import { linkToNext } from '../../adapters/http/answer/link-to-next.js';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';
import type { CursorSeal } from '../../application/reading/cursor-seal.js';
import { defaultSince, reachOf } from '../../application/reading/history.js';
import {
  type FilterInput,
  openedFilter,
  parseChangeFilter,
  type StoredFilter,
  storedFilter,
  storedFilterSchema,
} from './filter-input.js';

export interface ListChangesInput extends FilterInput {
  /** As it was asked for, before the plan's history cuts it short; undefined when nothing was said. */
  readonly since: Date | undefined;
  readonly limit: number;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** @throws ApiError `invalid_input`, `invalid_since`, `invalid_limit`, `invalid_cursor` */
export function parseListChanges(query: URLSearchParams): ListChangesInput {
  return {
    ...parseChangeFilter(query),
    since: queryParameter(query, 'since', sinceSchema, 'invalid_since'),
    limit: queryParameter(query, 'limit', limitSchema, 'invalid_limit') ?? MAX_PAGE_ITEMS,
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

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
  { accountId, plan }: Principal,
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

/** `since`, a `since` before the history, paging: docs/reference/api.md. */
export function listChangesRoute(ports: { readonly feed: FeedStore; readonly cursorSeal: CursorSeal }): Route {
  return {
    operation: operations.listChanges,
    async answer({ principal, query, now }) {
      const { body, nextCursor, historySince } = await listChanges(ports, principal, parseListChanges(query), now);
      return {
        status: 200,
        body,
        headers: {
          ...(historySince && { 'X-History-Since': historySince.toISOString() }),
          // The cursor knows its `since`.
          ...linkToNext(operations.listChanges.path, query, nextCursor, ['limit']),
        },
      };
    },
  };
}
