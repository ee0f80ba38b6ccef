import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { COUNT_WATCHES } from './artist-list.js';

/** How much of what its plan limits an account uses. */
export interface AccountUse {
  readonly watches: number;
  /** Of those, the watches of what has been no artist of the platform for an hour. */
  readonly withoutArtist: number;
  readonly seats: number;
}

export interface UsageStore {
  read(accountId: AccountId, now: Date): Promise<AccountUse>;
}

export function usageStore(database: Database): UsageStore {
  return {
    async read(accountId, now) {
      const { rows } = await database.pool.query<AccountUse>({
        name: 'read-usage',
        text: `SELECT counted.*, (SELECT count(*)::int FROM members WHERE account_id = $1) AS seats
                 FROM (${COUNT_WATCHES}) counted`,
        values: [accountId, now],
      });
      return rows[0] as AccountUse;
    },
  };
}
