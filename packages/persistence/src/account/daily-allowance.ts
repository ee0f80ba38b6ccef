import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** A UTC day, `YYYY-MM-DD`. */
export type UtcDay = string;

export type Reservation =
  | { readonly kind: 'reserved'; readonly day: UtcDay; readonly used: number }
  /** The day's calls are used up; nothing was written. */
  | { readonly kind: 'spent'; readonly day: UtcDay };

/** Calls of the tools, by API and dashboard. */
export function toolAllowance(database: Database): DailyAllowance {
  return dailyAllowance(database, 'tool_allowances', 'tools');
}

/** Searches of artists by name, each name of a list one. */
export function searchAllowance(database: Database): DailyAllowance {
  return dailyAllowance(database, 'search_allowances', 'searches');
}

export type DailyAllowance = ReturnType<typeof dailyAllowance>;

/** Calls per account and UTC day, in the record, so that no lost Redis gives them back (docs/reference/api.md). */
function dailyAllowance({ pool, turns }: Database, table: 'tool_allowances' | 'search_allowances', turn: string) {
  return {
    /** Takes one call in one statement; of any number of requests at once, exactly as many pass as are left. */
    async reserve(request: {
      readonly accountId: AccountId;
      readonly limit: number;
      readonly now: Date;
    }): Promise<Reservation> {
      const { accountId, limit, now } = request;
      const day = utcDayOf(now);
      // By a name of its own: a call has nothing to do with what else the account writes.
      const { rows } = await turns.run(`${turn} ${accountId}`, () =>
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

    /** Gives a reserved call back to the day that it was taken from, which may be over by now. */
    async refund(accountId: AccountId, day: UtcDay): Promise<void> {
      await pool.query(`UPDATE ${table} SET used = used - 1 WHERE account_id = $1 AND day = $2::date AND used > 0`, [
        accountId,
        day,
      ]);
    },

    /** Calls used on the day of `now`. */
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
