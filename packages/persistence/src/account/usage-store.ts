import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { COUNT_WATCHES } from './artist-list.js';

/** How much of what its plan limits an account uses. */
export interface AccountUse {
  readonly watches: number;
  /** Of those, the watches of what has been no artist of the platform for an hour. */
  readonly withoutArtist: number;
  readonly seats: number;
  /** That are not revoked. */
  readonly keys: number;
  /** Webhook destinations. */
  readonly destinations: number;
  /** Slack and Discord. */
  readonly chatDestinations: number;
  /** Tool calls of the UTC day. */
  readonly toolCalls: number;
  /** Destinations that nothing is sent to, because the plan has none. */
  readonly pausedDestinations: number;
}

export interface UsageStore {
  read(accountId: AccountId, now: Date): Promise<AccountUse>;
}

export function usageStore(database: Database): UsageStore {
  return {
    async read(accountId, now) {
      const { rows } = await database.pool.query<AccountUse>({
        name: 'read-usage',
        text: `SELECT counted.*,
                      (SELECT count(*)::int FROM members WHERE account_id = $1) AS seats,
                      (SELECT count(*)::int FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL) AS keys,
                      owned.destinations, owned."chatDestinations", owned."pausedDestinations",
                      coalesce((SELECT used FROM tool_allowances
                                 WHERE account_id = $1 AND day = ($2::timestamptz AT TIME ZONE 'UTC')::date), 0)
                        AS "toolCalls"
                 FROM (${COUNT_WATCHES}) counted,
                      (SELECT count(*) FILTER (WHERE kind = 'webhook')::int AS destinations,
                              count(*) FILTER (WHERE kind <> 'webhook')::int AS "chatDestinations",
                              count(*) FILTER (WHERE plan_required)::int AS "pausedDestinations"
                         FROM destinations WHERE account_id = $1 AND deleted_at IS NULL) owned`,
        values: [accountId, now],
      });
      return rows[0] as AccountUse;
    },
  };
}
