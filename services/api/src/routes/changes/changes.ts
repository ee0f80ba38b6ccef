import { everyDay } from '@artist-watch/contracts/api/change-counts';
import { EXPORT_FORMATS, exportChunks, exportFileName } from '@artist-watch/contracts/api/change-export';
import { changeDetail } from '@artist-watch/contracts/api/change-item';
import { CHANGE_OPERATIONS } from '@artist-watch/contracts/api/operations/change-operations';
import { oldestOf } from '@artist-watch/domain/account/plans';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { begun } from '@artist-watch/http/answer/stream-body';
import type { ChangeExports } from '@artist-watch/persistence/change/change-exports';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import { countByDay } from '@artist-watch/persistence/change/feed-range';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { linkToNext } from '../../adapters/http/answer/list-page.js';
import { type Route, routesOf } from '../../adapters/http/route.js';
import type { CursorSeal } from '../../application/reading/cursor-seal.js';
import { historyHeader, reachOf } from '../../application/reading/history.js';
import { changeFilter } from './change-filter.js';
import { listChanges } from './list-changes.js';

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
      const change = await readChangeOfAccount(pool, { accountId, id, oldest: oldestOf(plan, now) });
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
    async exportChanges({ principal: { accountId, plan }, query, now }) {
      const { format = 'csv' } = query;
      const { filter, until } = changeFilter(query);
      const reach = reachOf(query.since ?? oldestOf(plan, now), plan, now);
      const pages = ports.exports.pages({ accountId, since: reach.since, until, filter });
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

/** The beginning of the first of the last 30 UTC days, today among them. */
function firstOfDefault(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) - DEFAULT_DAYS + 1) * DAY_MS);
}
