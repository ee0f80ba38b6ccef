import { changeDetail } from '@artist-watch/contracts/api/change';
import { everyDay } from '@artist-watch/contracts/api/change-counts';
import { EXPORT_FORMATS, exportChunks, exportFileName } from '@artist-watch/contracts/api/change-export';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import { CHANGE_OPERATIONS } from '@artist-watch/contracts/api/operations/change-operations';
import type { Principal } from '@artist-watch/domain/account/actor';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { begun } from '@artist-watch/http/answer/stream-body';
import type { ChangeExports } from '@artist-watch/persistence/change/change-exports';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import { countByDay } from '@artist-watch/persistence/change/feed-range';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { z } from 'zod';
import { linkToNext } from '../../adapters/http/answer/list-page.js';
import { type Route, routesOf } from '../../adapters/http/route.js';
import {
  changeFilter,
  defaultSince,
  historyHeader,
  openedFilter,
  reachOf,
  storedFilter,
  storedFilterSchema,
} from '../../application/change-range.js';
import { type CursorSeal, openCursor, refuseOtherFilter } from '../../application/cursor-seal.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** The head of the file and the first page: a fault until then is an error like any other. */
const CHUNKS_BEFORE_ANSWER = 2;

export function changeRoutes(ports: {
  readonly feed: FeedStore;
  readonly exports: ChangeExports;
  readonly reads: Database;
  readonly cursorSeal: CursorSeal;
}): Route[] {
  const { pool } = ports.reads;
  return routesOf(CHANGE_OPERATIONS, {
    async listChanges({ principal, query, now }) {
      const { body, nextCursor, reach } = await listChanges(ports, principal, query, now);
      const link = linkToNext(CHANGE_OPERATIONS.listChanges.path, query, nextCursor);
      return { status: 200, body, headers: { ...historyHeader(reach), ...link } };
    },

    /** A change with the evidence for it. */
    async showChange({ principal: { accountId, plan }, id, now }) {
      const change = await readChangeOfAccount(pool, { accountId, id, oldest: historyStart(plan, now) });
      return jsonAnswer(200, changeDetail(change));
    },

    /** Changes by UTC day and severity. */
    async countChanges({ principal: { accountId, plan }, query, now }) {
      const { filter, until } = changeFilter(query);
      const reach = reachOf(query.since ?? firstOfDefault(now), plan, now);
      const { since } = reach;
      const counted = await countByDay(ports.reads, { accountId, since, until, filter });
      const last = until && until <= now ? new Date(until.getTime() - 1) : now;
      return jsonAnswer(200, { data: everyDay(counted, since, last) }, historyHeader(reach));
    },

    /** All changes that the filters let through, as a file. */
    async exportChanges({ principal: { accountId, plan }, identify, query, now }) {
      const { format = 'csv', continue_after: changeId } = query;
      const { filter, until } = changeFilter(query);
      const reach = reachOf(query.since ?? historyStart(plan, now), plan, now);
      const last = { accountId, id: changeId as ChangeId, oldest: historyStart(plan, now) };
      const after = changeId === undefined ? undefined : await positionOf(pool, last);
      const sinceNow = async () => historyStart((await identify()).plan, now);
      const pages = ports.exports.pages({ accountId, plan, since: reach.since, until, after, filter, sinceNow });
      return {
        type: EXPORT_FORMATS[format].type,
        chunks: await begun(exportChunks(format, pages), CHUNKS_BEFORE_ANSWER),
        headers: {
          'Content-Disposition': `attachment; filename="${exportFileName(format, now)}"`,
          ...historyHeader(reach),
        },
      };
    },
  });
}

/** The place of a change in the feed of the account. @throws NotFound */
async function positionOf(pool: Database['pool'], change: Parameters<typeof readChangeOfAccount>[1]) {
  const { confirmedAt } = await readChangeOfAccount(pool, change);
  return { changeId: change.id as ChangeId, confirmedAt };
}

/** The beginning of the first of the last 30 UTC days, today among them. */
function firstOfDefault(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) - DEFAULT_DAYS + 1) * DAY_MS);
}

/** `since` as it was asked for, before the plan's history cut it short, the last item of the page, and the filter. */
const contentSchema = z.tuple([z.int(), z.int(), z.string(), storedFilterSchema.optional()]);

/** A page of the account's feed, newest first, no older than its plan's history (docs/reference/api.md). */
async function listChanges(
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
