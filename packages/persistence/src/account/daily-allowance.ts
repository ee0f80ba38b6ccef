import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

export type UtcDay = string;

export type Reservation =
  | { readonly kind: 'reserved'; readonly day: UtcDay; readonly used: number }
  /** The daily limit has been reached, and nothing was written. */
  | { readonly kind: 'spent'; readonly day: UtcDay };

export function toolAllowance(database: Database): DailyAllowance {
  return dailyAllowance(database, 'tool_allowances', 'tools');
}

export function searchAllowance(database: Database): DailyAllowance {
  return dailyAllowance(database, 'search_allowances', 'searches');
}

export type DailyAllowance = ReturnType<typeof dailyAllowance>;

/** Counts calls in PostgreSQL, so that losing Redis does not reset them (docs/api/requests.md). */
function dailyAllowance({ pool, perAccount }: Database, table: 'tool_allowances' | 'search_allowances', scope: string) {
  return {
    /** Reserves a call in one statement, so that parallel requests never exceed the limit. */
    async reserve(request: {
      readonly accountId: AccountId;
      readonly limit: number;
      readonly now: Date;
    }): Promise<Reservation> {
      const { accountId, limit, now } = request;
      const day = utcDayOf(now);
      // Uses a separate gate, so that calls don't wait for the account's other writes.
      const { rows } = await perAccount.run(`${scope} ${accountId}`, () =>
        pool.query<{ used: number }>(
          `INSERT INTO ${table} AS a (account_id, day, used)
           SELECT $1, $2::date, 1 WHERE $3 > 0
           ON CONFLICT (account_id, day) DO UPDATE SET used = a.used + 1 WHERE a.used < $3
           RETURNING used`,
          [accountId, day, limit],
        ),
      );
      return rows[0] ? { kind: 'reserved', day, used: rows[0].used } : { kind: 'spent', day };
    },

    /** Subtracts one call from the count for `day`, even if that day is over. */
    async refund(accountId: AccountId, day: UtcDay): Promise<void> {
      await pool.query(`UPDATE ${table} SET used = used - 1 WHERE account_id = $1 AND day = $2::date AND used > 0`, [
        accountId,
        day,
      ]);
    },

    async used(accountId: AccountId, now: Date): Promise<number> {
      const { rows } = await pool.query<{ used: number }>({
        name: `read-${table}`,
        text: `SELECT used FROM ${table} WHERE account_id = $1 AND day = $2::date`,
        values: [accountId, utcDayOf(now)],
      });
      return rows[0]?.used ?? 0;
    },
  };
}

function utcDayOf(instant: Date): UtcDay {
  return instant.toISOString().slice(0, 10);
}
