import { countsBySchema, everyDay } from '@artist-watch/contracts/api/change-counts';
import { changeDetail } from '@artist-watch/contracts/api/change-item';
import * as operations from '@artist-watch/contracts/api/operations/change-operations';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import { oldestOf } from '@artist-watch/domain/account/plans';
import type { ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import { countByDay } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import { pathId } from '../../adapters/http/request/input.js';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';
import { reachOf } from '../../application/reading/history.js';
import { parseChangeFilter } from './filter-input.js';

/** A change with the evidence for it. */
export function showChangeRoute({ pool }: Database): Route {
  return {
    operation: operations.showChange,
    async answer({ principal: { accountId, plan }, parameters, now }) {
      const id = pathId<ChangeId>(operations.showChange.pathParameters.shape.id, parameters.id, 'change');
      const change = await readChangeOfAccount(pool, { accountId, id, oldest: oldestOf(plan, now) });
      return jsonAnswer(200, changeDetail(change));
    },
  };
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** Changes by UTC day and severity. */
export function countChangesRoute(database: Database): Route {
  return {
    operation: operations.countChanges,
    async answer({ principal: { accountId, plan }, query, now }) {
      queryParameter(query, 'by', countsBySchema, 'invalid_input');
      const { filter, until } = parseChangeFilter(query);
      const asked = queryParameter(query, 'since', sinceSchema, 'invalid_since') ?? firstOfDefault(now);
      const { since, clamped } = reachOf(asked, plan, now);
      const counted = await countByDay(database, { accountId, since, until, filter });
      const last = until && until <= now ? new Date(until.getTime() - 1) : now;
      return jsonAnswer(
        200,
        { data: everyDay(counted, since, last) },
        clamped ? { 'X-History-Since': since.toISOString() } : {},
      );
    },
  };
}

/** The beginning of the first of the last 30 UTC days, today among them. */
function firstOfDefault(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) - DEFAULT_DAYS + 1) * DAY_MS);
}
