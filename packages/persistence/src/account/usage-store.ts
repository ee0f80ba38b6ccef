import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** How much of what its plan limits an account uses. */
export interface AccountUse {
  readonly artists: number;
  readonly seats: number;
}

export interface UsageStore {
  read(accountId: AccountId): Promise<AccountUse>;
}

export function usageStore(database: Database): UsageStore {
  return {
    async read(accountId) {
      const { rows } = await database.pool.query<AccountUse>({
        name: 'read-usage',
        text: `SELECT (SELECT count(*)::int FROM watches WHERE account_id = $1) AS artists,
                      (SELECT count(*)::int FROM members WHERE account_id = $1) AS seats`,
        values: [accountId],
      });
      return rows[0] as AccountUse;
    },
  };
}
