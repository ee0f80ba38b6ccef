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
                      (SELECT count(*)::int FROM destinations
                        WHERE account_id = $1 AND deleted_at IS NULL AND plan_required) AS "pausedDestinations"
                 FROM (${COUNT_WATCHES}) counted`,
        values: [accountId, now],
      });
      return rows[0] as AccountUse;
    },
  };
}
