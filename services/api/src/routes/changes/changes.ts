import { changeDetail, changeItem, UNHANDLED } from '@artist-watch/contracts/api/change';
import { EXPORT_FORMATS, exportChunks, exportFileName } from '@artist-watch/contracts/api/change-export';
import { everyDay } from '@artist-watch/contracts/api/change-filter';
import { presentDelivery } from '@artist-watch/contracts/api/delivery';
import { invalidParam } from '@artist-watch/contracts/api/errors';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/fields';
import { CHANGE_OPERATIONS } from '@artist-watch/contracts/api/operations/change-operations';
import { type CreatedTestChange, createTestChange } from '@artist-watch/delivery/store/test-changes';
import { type Principal, toActor } from '@artist-watch/domain/account/actor';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { type Answer, begun, jsonAnswer } from '@artist-watch/http/answer/answer';
import { updateHandling } from '@artist-watch/persistence/change/change-handling';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import {
  countByDay,
  newestPosition,
  positionOfChange,
  type RecordedPosition,
} from '@artist-watch/persistence/change/feed-range';
import { changeExports, type FeedStore, feedStore } from '@artist-watch/persistence/change/feed-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { newId } from '@artist-watch/runtime/ids';
import { z } from 'zod';
import { type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';
import {
  changeFilter,
  defaultSince,
  historyHeader,
  openedFilter,
  parametersOf,
  reachOf,
  storedFilter,
  storedFilterSchema,
} from '../../application/change-range.js';
import {
  type CursorSeal,
  linkTo,
  linkToNext,
  NEXT_PAGE,
  openCursor,
  refuseOtherFilter,
} from '../../application/list-page.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** If the header or the first page fails, the client still gets an error response. */
const CHUNKS_BEFORE_ANSWER = 2;

export function changeRoutes({ reads, writes, cursorSeal, platform }: RouteParts): Route[] {
  const { pool } = reads;
  const lists = { feed: feedStore(reads), reads, cursorSeal };
  const exports = changeExports(reads);
  return routesOf(CHANGE_OPERATIONS, {
    async listChanges({ principal, query, now, baseUrl }) {
      const url = `${baseUrl}${CHANGE_OPERATIONS.listChanges.path}`;
      if (query.after !== undefined)
        return listRecorded(lists, principal, { ...query, after: query.after }, { now, url });
      const { body, nextCursor, reach } = await listNewestFirst(lists, principal, query, now);
      const link = linkToNext(url, query, nextCursor);
      return { status: 200, body, headers: { ...historyHeader(reach), ...link } };
    },

    async showChange({ principal: { accountId, plan }, id, now }) {
      const change = await readChangeOfAccount(pool, { accountId, id, oldest: historyStart(plan, now) });
      return jsonAnswer(200, changeDetail(change));
    },

    async updateChange({ principal, id, readBody, now }) {
      const { accountId, plan } = principal;
      const oldest = historyStart(plan, now);
      const handling = await readBody();
      await updateHandling(writes, { accountId, ids: [id], oldest, by: toActor(principal), now, ...handling });
      return jsonAnswer(200, changeDetail(await readChangeOfAccount(pool, { accountId, id, oldest })));
    },

    async createTestChange({ principal, now, once, readBody }) {
      const { type, severity, artist_id: artistId } = await readBody();
      const { accountId } = principal;
      const present = ({ change, deliveries }: CreatedTestChange) =>
        jsonAnswer(201, {
          change: { ...changeItem(change), ...UNHANDLED },
          deliveries: deliveries.map(presentDelivery),
        });
      const sample = { type, severity, platform, artistId: artistId as ArtistId | undefined };
      const request = { ...sample, id: newId('chg', now), accountId, by: toActor(principal), now };
      return present(await createTestChange(writes, request, once(present)));
    },

    async countChanges({ principal: { accountId, plan }, query, now }) {
      const { filter, until } = changeFilter(query);
      const reach = reachOf(query.since ?? firstOfDefault(now), plan, now);
      const { since } = reach;
      const counted = await countByDay(reads, { accountId, since, until, filter });
      const last = until && until <= now ? new Date(until.getTime() - 1) : now;
      return jsonAnswer(200, { data: everyDay(counted, since, last) }, historyHeader(reach));
    },

    async exportChanges({ principal: { accountId, plan }, identify, query, now }) {
      const { format = 'csv', after } = query;
      const id = query.continue_after as ChangeId | undefined;
      const { filter, until } = changeFilter(query);
      const reach = reachOf(query.since ?? historyStart(plan, now), plan, now);
      const sinceNow = async () => historyStart((await identify()).plan, now);
      const bounds = { accountId, plan, since: reach.since, until, filter, sinceNow };
      const last = id && (await readChangeOfAccount(pool, { accountId, id, oldest: historyStart(plan, now) }));
      const recorded = after === undefined ? undefined : await recordedSpan(lists, accountId, { ...query, after });
      const pages = exports.pages(
        recorded
          ? { ...bounds, ...recorded, order: 'recorded' }
          : { ...bounds, after: id && last && { changeId: id, confirmedAt: last.confirmedAt } },
      );
      return {
        type: EXPORT_FORMATS[format].type,
        chunks: await begun(exportChunks(format, pages), CHUNKS_BEFORE_ANSWER),
        headers: {
          'Content-Disposition': `attachment; filename="${exportFileName(format, now)}"`,
          ...historyHeader(reach),
          ...(recorded && { 'X-Next-Cursor': closePosition(cursorSeal, accountId, recorded.upTo) }),
        },
      };
    },
  });
}

async function recordedSpan(
  { reads: { pool }, cursorSeal }: { readonly reads: Database; readonly cursorSeal: CursorSeal },
  accountId: AccountId,
  {
    after: given,
    since,
    continue_after: id,
  }: { after: string; since?: Date | undefined; continue_after?: string | undefined },
) {
  refuseSince(since);
  const newest = await newestPosition(pool, accountId);
  const after = given === 'now' ? newest : openPosition(cursorSeal, accountId, given);
  const upTo = isBefore(after, newest) ? newest : after;
  if (id === undefined) return { after, upTo };
  const last = await positionOfChange(pool, { accountId, id: id as ChangeId });
  if (last && isBefore(after, last)) return { after: last, upTo };
  throw invalidParam(
    'invalid_input',
    'continue_after',
    '"continue_after" must be the id of a change in the export that you started with this "after".',
  );
}

function firstOfDefault(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) - DEFAULT_DAYS + 1) * DAY_MS);
}

/**
 * A cursor contains the first request's `since` (before the plan limits it), the last item's time and id, and the
 * filter.
 */
const contentSchema = z.tuple([z.int(), z.int(), z.string(), storedFilterSchema.optional()]);

/** Lists the account's changes, newest first, within the plan's history period (docs/api/requests.md). */
async function listNewestFirst(
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
      throw invalidParam('invalid_cursor', 'cursor', `"cursor" was sent with a different "since". ${NEXT_PAGE}`);
    }
    refuseOtherFilter(filter, storedFilter(given));
  }
  const wanted = sinceMs === undefined ? given : openedFilter(filter);
  const wantedSince = sinceMs === undefined ? (since ?? defaultSince(now)) : new Date(sinceMs);
  const after = lastId === undefined ? undefined : { confirmedAt: new Date(lastMs), changeId: lastId as ChangeId };
  const reach = reachOf(wantedSince, plan, now);
  const { items, next } = await feed.readPage({ accountId, since: reach.since, after, limit, ...wanted });
  const stored = storedFilter(wanted);
  const nextCursor = next
    ? cursorSeal.close(scope, [
        wantedSince.getTime(),
        next.confirmedAt.getTime(),
        next.changeId,
        ...(stored ? [stored] : []),
      ])
    : null;
  return { body: bodyOf(items, nextCursor), nextCursor, reach };
}

const positionSchema = z.tuple([z.string(), z.string()]);

/** The list and the export accept the same cursors. */
const scopeOfPositions = (accountId: AccountId) => `changes after:${accountId}`;

function closePosition(seal: CursorSeal, accountId: AccountId, { position, changeId }: RecordedPosition): string {
  return seal.close(scopeOfPositions(accountId), [position, changeId]);
}

/** @throws ApiError `invalid_cursor` */
function openPosition(seal: CursorSeal, accountId: AccountId, after: string): RecordedPosition {
  const content = positionSchema.safeParse(seal.open(scopeOfPositions(accountId), after));
  if (!content.success) {
    throw invalidParam(
      'invalid_cursor',
      'after',
      '"after" must be "now", or the "next_cursor" of an earlier response with "after".',
    );
  }
  const [position, changeId] = content.data;
  return { position, changeId: changeId as ChangeId };
}

function isBefore(a: RecordedPosition, b: RecordedPosition): boolean {
  return a.position === b.position ? a.changeId < b.changeId : BigInt(a.position) < BigInt(b.position);
}

function refuseSince(since: Date | undefined): void {
  if (since)
    throw invalidParam(
      'invalid_since',
      'since',
      '"since" cannot be combined with "after", because the list would then miss changes.',
    );
}

/** Lists changes in the order they became readable (docs/api/requests.md). */
async function listRecorded(
  {
    feed,
    reads: { pool },
    cursorSeal,
  }: { readonly feed: FeedStore; readonly reads: Database; readonly cursorSeal: CursorSeal },
  { accountId, plan }: Principal,
  query: z.output<typeof CHANGE_OPERATIONS.listChanges.query> & { readonly after: string },
  { now, url }: { readonly now: Date; readonly url: string },
): Promise<Answer> {
  const { after: given, since, cursor, limit = MAX_PAGE_ITEMS } = query;
  if (cursor !== undefined) throw invalidParam('invalid_cursor', 'cursor', '"cursor" cannot be combined with "after".');
  refuseSince(since);
  const filter = changeFilter(query);
  if (given === 'now') {
    const newest = closePosition(cursorSeal, accountId, await newestPosition(pool, accountId, filter.filter));
    return { status: 200, body: bodyOf([], newest) };
  }
  const after = openPosition(cursorSeal, accountId, given);
  const range = { accountId, since: historyStart(plan, now), after, ...filter };
  const { items, next, hasMore } = await feed.readRecordedPage({ ...range, limit });
  const nextCursor = closePosition(cursorSeal, accountId, next);
  const link = hasMore ? linkTo(url, parametersOf({ ...query, after: nextCursor })) : {};
  return { status: 200, body: bodyOf(items, nextCursor), headers: link };
}

const HEAD = Buffer.from('{"data":[');
const COMMA = Buffer.from(',');

/** Copying the items' bytes is cheaper than building and encoding a string. */
function bodyOf(items: readonly Uint8Array[], nextCursor: string | null): Uint8Array {
  const pieces: Uint8Array[] = [HEAD];
  for (const item of items) {
    if (pieces.length > 1) pieces.push(COMMA);
    pieces.push(item);
  }
  return Buffer.concat([...pieces, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`)]);
}
