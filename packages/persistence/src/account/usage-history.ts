import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { firstIdAt } from '../database/id-range.js';

const DAY_MS = 86_400_000;

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly requests: number;
  readonly toolCalls: number;
  /** Deliveries that were made on the day, whatever became of them. */
  readonly deliveries: number;
}

export interface UsageHistory {
  /** The last `days` UTC days, that of `now` included, oldest first; days without anything too. */
  read(accountId: AccountId, days: number, now: Date): Promise<UsageDay[]>;
}

export function usageHistory({ pool }: Database): UsageHistory {
  return {
    async read(accountId, days, now) {
      const today = Math.floor(now.getTime() / DAY_MS);
      const midnights = Array.from({ length: days + 1 }, (_, index) => new Date((today - days + 1 + index) * DAY_MS));
      const firstIds = midnights.map((midnight) => firstIdAt('dlv', midnight));
      const { rows } = await pool.query<UsageDay>({
        name: 'read-usage-history',
        // The ids of deliveries begin with their instant: each day is a range of one index.
        text: `
          SELECT to_char(d.day, 'YYYY-MM-DD') AS day, coalesce(r.requests, 0) AS requests, coalesce(t.used, 0) AS "toolCalls",
                 (SELECT count(*)::int FROM deliveries
                   WHERE account_id = $1 AND id >= d.first_id AND id < d.last_id) AS deliveries
            FROM unnest($2::date[], $3::text[], $4::text[]) AS d (day, first_id, last_id)
            LEFT JOIN request_days r ON r.account_id = $1 AND r.day = d.day
            LEFT JOIN tool_allowances t ON t.account_id = $1 AND t.day = d.day
           ORDER BY d.day`,
        values: [
          accountId,
          midnights.slice(0, -1).map((midnight) => midnight.toISOString().slice(0, 10)),
          firstIds.slice(0, -1),
          firstIds.slice(1),
        ],
      });
      return rows;
    },
  };
}
