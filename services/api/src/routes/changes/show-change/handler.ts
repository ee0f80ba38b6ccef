import { changeDetail } from '@artist-watch/contracts/api/change-item';
import { showChange as operation } from '@artist-watch/contracts/api/operations/change-operations';
import type { ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import type { Database } from '@artist-watch/persistence/database/database';
import { pathId } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { oldestOf } from '../../../application/reading/history.js';

/** A change with the evidence for it. */
export function showChangeRoute({ pool }: Database): Route {
  return {
    operation,
    async answer({ identity: { accountId, plan }, parameters, now }) {
      const id = pathId<ChangeId>(operation.pathParameters.shape.id, parameters.id, 'change');
      const change = await readChangeOfAccount(pool, { accountId, id, oldest: oldestOf(plan, now) });
      return jsonAnswer(200, changeDetail(change));
    },
  };
}
