import type { AccountUse, UsageHistoryItem } from '@artist-watch/contracts/api/account';
import type { Shown } from '@artist-watch/contracts/api/fields';
import type { AccountId, ApiKeyId, FeedTokenId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { columnsOf, firstIdAt } from '../database/sql-text.js';
import { COUNT_WATCHES } from './artist-list.js';

export async function readUsage(
  { pool }: Pick<Database, 'pool'>,
  accountId: AccountId,
  now: Date,
): Promise<AccountUse> {
  const { rows } = await pool.query<AccountUse>({
    name: 'read-usage',
    text: `SELECT counted.*,
                  (SELECT count(*)::int FROM members WHERE account_id = $1) AS seats,
                  (SELECT count(*)::int FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL
                      AND (expires_at IS NULL OR expires_at > now())) AS keys,
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
}

/** Usage counted by one replica since its last write. */
export interface SeenUsage {
  readonly requests: readonly {
    readonly accountId: AccountId;
    readonly day: string;
    readonly count: number;
  }[];
  /** Includes feed tokens. */
  readonly keys: readonly { readonly keyId: ApiKeyId | FeedTokenId; readonly lastUsedAt: Date }[];
}

export async function recordUsage(pool: pg.Pool, { requests, keys }: SeenUsage): Promise<void> {
  // All replicas lock rows in the same order, to avoid deadlocks.
  await recordUse(pool, 'api_keys', 'key_', keys);
  await recordUse(pool, 'feed_tokens', 'fed_', keys);
  // Run this statement last, because a retry must not add the counts twice.
  if (requests.length === 0) return;
  await pool.query(
    `INSERT INTO request_days AS d (account_id, day, requests)
     SELECT * FROM unnest($1::text[], $2::date[], $3::int[]) AS u (account_id, day, requests)
      ORDER BY account_id, day
     ON CONFLICT (account_id, day) DO UPDATE SET requests = d.requests + excluded.requests`,
    columnsOf(requests, 'accountId', 'day', 'count'),
  );
}

async function recordUse(
  pool: pg.Pool,
  table: 'api_keys' | 'feed_tokens',
  prefix: string,
  keys: SeenUsage['keys'],
): Promise<void> {
  const used = keys.filter(({ keyId }) => keyId.startsWith(prefix));
  if (used.length === 0) return;
  await pool.query(
    `WITH used AS (SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at)),
          locked AS (SELECT k.id FROM ${table} k JOIN used ON used.id = k.id ORDER BY k.id FOR NO KEY UPDATE OF k)
     UPDATE ${table} k SET last_used_at = used.at
       FROM used JOIN locked ON locked.id = used.id
      WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < used.at)`,
    columnsOf(used, 'keyId', 'lastUsedAt'),
  );
}

const DAY_MS = 86_400_000;

export type UsageDay = Shown<UsageHistoryItem>;

export async function readUsageHistory(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  accountId: AccountId,
  days: number,
  now: Date,
): Promise<UsageDay[]> {
  const today = Math.floor(now.getTime() / DAY_MS);
  const midnights = Array.from({ length: days + 1 }, (_, index) => new Date((today - days + 1 + index) * DAY_MS));
  const firstIds = midnights.map((midnight) => firstIdAt('dlv', midnight));
  const statement = {
    name: 'read-usage-history',
    // Delivery ids start with their creation time, so each day is a range of one index.
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
  };
  return (await perAccount.run(accountId, () => pool.query<UsageDay>(statement))).rows;
}

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
