import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import type pg from 'pg';
import { deleteBatch, removeDeletedAccounts } from './account/delete-account.js';
import { firstIdAt } from './database/sql-text.js';
import { IDEMPOTENCY_WINDOW_MS } from './idempotency-store.js';
import { SESSION_IDLE_MS } from './sign-in/sessions.js';

const DAY_MS = 86_400_000;

/** Attempts and deliveries are kept for this long, and snapshots for at least as long (docs/reference/service.md). */
const WORKING_DATA_DAYS = 90;

/** A device that hasn't been used to sign in for this long is treated as new (docs/reference/dashboard.md). */
const KNOWN_DEVICE_DAYS = 365;

/** See docs/api/requests.md. */
const TEST_CHANGE_DAYS = 7;

const LONGEST_HISTORY_DAYS = Math.max(...PLAN_NAMES.map((name) => PLANS[name].historyDays));

const LONGEST_INTERVAL_MS = Math.max(...PLAN_NAMES.map((name) => PLANS[name].pollIntervalMs));

export interface RetentionOptions {
  readonly now: Date;
  /** With the default value, each statement holds its locks for a few dozen milliseconds. */
  readonly batchRows?: number;
  readonly pageOwners?: number;
  readonly signal?: AbortSignal;
}

/** Number of deleted rows per table. Omits tables where no rows were deleted. */
export type PrunedRows = Readonly<Record<string, number>>;

/**
 * Deletes expired rows in batches, using an index for each batch. Replicas skip rows that another replica has locked.
 */
export async function prune(pool: pg.Pool, options: RetentionOptions): Promise<PrunedRows> {
  const { now, batchRows = 5_000, pageOwners = 1_000, signal } = options;
  const pruned: Record<string, number> = {};
  const repeat = async (table: string, deleteBatch: () => Promise<number>) => {
    while (!signal?.aborted) {
      const rows = await deleteBatch();
      if (rows === 0) return;
      pruned[table] = (pruned[table] ?? 0) + rows;
    }
  };
  for (const { table, where, parameters } of expiredByKey(now)) {
    await repeat(table, () => deleteBatch(pool, table, where, parameters, batchRows));
  }
  for (const { table, owners, key, where, parameters } of expiredByOwner(now)) {
    for await (const [first, last] of pages(pool, owners, pageOwners)) {
      if (signal?.aborted) break;
      await repeat(table, async () => {
        const { rowCount } = await pool.query(
          `DELETE FROM ${table} WHERE (${key}) IN (
             SELECT expired.* FROM ${owners} owner CROSS JOIN LATERAL (SELECT ${key} FROM ${table} WHERE ${where}) expired
              WHERE owner.id BETWEEN $1 AND $2
              LIMIT $3)`,
          [first, last, batchRows, ...parameters],
        );
        return rowCount ?? 0;
      });
    }
  }
  for await (const [first, last] of pages(pool, 'artists', pageOwners)) {
    if (signal?.aborted) break;
    const rows = await pruneArtists(pool, [first, last], new Date(now.getTime() - LONGEST_INTERVAL_MS));
    if (rows > 0) pruned.artists = (pruned.artists ?? 0) + rows;
  }
  const accounts = await removeDeletedAccounts(pool, { now, batchRows, signal });
  if (accounts > 0) pruned.accounts = accounts;
  return pruned;
}

/**
 * Deletes artists that have no watches and no changes. Keeps recently polled artists, because an artist that was
 * deleted would be polled immediately if someone watched it again.
 */
async function pruneArtists(pool: pg.Pool, page: readonly [string, string], idleSince: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM artists WHERE id = ANY(ARRAY(
       SELECT id FROM artists a
        WHERE id BETWEEN $1 AND $2 AND next_poll_at IS NULL AND coalesce(last_polled_at, created_at) < $3
          AND NOT EXISTS (SELECT FROM watches w WHERE w.artist_id = a.id)
          AND NOT EXISTS (SELECT FROM changes c WHERE c.artist_id = a.id)
          FOR UPDATE SKIP LOCKED))`,
    [...page, idleSince],
  );
  return rowCount ?? 0;
}

interface Expiry {
  readonly table: string;
  readonly where: string;
  readonly parameters: readonly unknown[];
}

/**
 * For each entry, the expired rows are found with a single index range scan. The order matters: a destination can only
 * be deleted after its deliveries.
 */
function expiredByKey(now: Date): Expiry[] {
  const workingData = daysBefore(now, WORKING_DATA_DAYS);
  const history = daysBefore(now, LONGEST_HISTORY_DAYS);
  return [
    { table: 'attempts', where: 'id < $2', parameters: [firstIdAt('att', workingData)] },
    { table: 'deliveries', where: "id < $2 AND state <> 'pending'", parameters: [firstIdAt('dlv', workingData)] },
    { table: 'destination_notices', where: 'id < $2', parameters: [firstIdAt('ntc', history)] },
    {
      table: 'changes',
      where: `id < $2 AND ((state = 'dismissed' AND NOT ignored) OR (state = 'confirmed' AND confirmed_at < $3))`,
      parameters: [firstIdAt('chg', history), history],
    },
    {
      table: 'changes',
      where: 'is_test AND id < $2',
      parameters: [firstIdAt('chg', daysBefore(now, TEST_CHANGE_DAYS))],
    },
    {
      table: 'destinations',
      where: `deleted_at < $2 AND NOT EXISTS (SELECT FROM deliveries d WHERE d.destination_id = destinations.id)`,
      parameters: [workingData],
    },
    {
      table: 'idempotency_keys',
      where: 'created_at < $2',
      parameters: [new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS)],
    },
    { table: 'idempotency_bytes', where: 'hour < $2', parameters: [daysBefore(now, 2)] },
    // The daily limits on sign-in requests count the rows from the last day.
    { table: 'sign_in_requests', where: 'id < $2', parameters: [firstIdAt('sgn', daysBefore(now, 2))] },
    { table: 'sessions', where: 'last_seen_at < $2', parameters: [new Date(now.getTime() - SESSION_IDLE_MS)] },
    { table: 'known_devices', where: 'last_seen_at < $2', parameters: [daysBefore(now, KNOWN_DEVICE_DAYS)] },
    { table: 'mails', where: "id < $2 AND state <> 'pending'", parameters: [firstIdAt('mai', workingData)] },
    // Delete sign-in emails early, because they may be addressed to anyone whose address was typed into the form.
    {
      table: 'mails',
      where: "account_id IS NULL AND id < $2 AND state <> 'pending'",
      parameters: [firstIdAt('mai', daysBefore(now, 2))],
    },
    // A picture expires with the newest change that refers to it.
    { table: 'pictures', where: 'named_at < $2', parameters: [history] },
    { table: 'change_shares', where: 'expires_at < $2', parameters: [now] },
    { table: 'audit_events', where: 'id < $2', parameters: [firstIdAt('aud', history)] },
  ];
}

interface OwnedExpiry extends Expiry {
  readonly owners: 'accounts' | 'artists';
  readonly key: string;
}

/** Each owner's expired rows form a single index range. Parameters in `where` start at $4. */
function expiredByOwner(now: Date): OwnedExpiry[] {
  const dayBefore = (days: number) => daysBefore(now, days).toISOString().slice(0, 10);
  return [
    ...['feed_items', 'change_handling'].map((table) => ({
      table,
      owners: 'accounts' as const,
      key: 'account_id, confirmed_at, change_id',
      where: `account_id = owner.id AND confirmed_at < ($5::timestamptz[])[array_position($4::plan_name[], owner.plan)]`,
      parameters: [PLAN_NAMES, PLAN_NAMES.map((name) => daysBefore(now, PLANS[name].historyDays))],
    })),
    {
      table: 'test_feed_items',
      owners: 'accounts',
      key: 'account_id, confirmed_at, change_id',
      where: 'account_id = owner.id AND confirmed_at < $4',
      parameters: [daysBefore(now, TEST_CHANGE_DAYS)],
    },
    ...Object.entries({
      tool_allowances: WORKING_DATA_DAYS,
      request_days: WORKING_DATA_DAYS,
      watch_allowances: 2,
      search_allowances: 2,
    }).map(([table, days]) => ({
      table,
      owners: 'accounts' as const,
      key: 'account_id, day',
      where: 'account_id = owner.id AND day < $4::date',
      parameters: [dayBefore(days)],
    })),
    ...['artist_metrics', 'artist_days'].map((table) => ({
      table,
      owners: 'artists' as const,
      key: 'artist_id, day',
      where: 'artist_id = owner.id AND day < $4::date',
      parameters: [dayBefore(LONGEST_HISTORY_DAYS)],
    })),
    {
      // An artist's snapshots are kept for the longest history included in any of its watchers' plans.
      table: 'snapshots',
      owners: 'artists',
      key: 'id',
      where: `artist_id = owner.id AND observed_at < least($4::timestamptz,
                (SELECT min(($6::timestamptz[])[array_position($5::plan_name[], c.plan)])
                   FROM watches w JOIN accounts c ON c.id = w.account_id WHERE w.artist_id = owner.id))`,
      parameters: [
        daysBefore(now, WORKING_DATA_DAYS),
        PLAN_NAMES,
        PLAN_NAMES.map((name) => daysBefore(now, PLANS[name].historyDays)),
      ],
    },
    {
      table: 'snapshots',
      owners: 'artists',
      key: 'id',
      where: 'artist_id = owner.id AND NOT complete AND observed_at < $4',
      parameters: [daysBefore(now, WORKING_DATA_DAYS)],
    },
  ];
}

async function* pages(
  pool: pg.Pool,
  owners: string,
  pageOwners: number,
): AsyncGenerator<readonly [first: string, last: string]> {
  for (let after = ''; ; ) {
    const { rows } = await pool.query<{ first: string | null; last: string | null }>(
      `SELECT min(id) AS first, max(id) AS last
         FROM (SELECT id FROM ${owners} WHERE id > $1 ORDER BY id LIMIT $2) page`,
      [after, pageOwners],
    );
    const [page] = rows;
    if (!page || page.first === null || page.last === null) return;
    yield [page.first, page.last];
    after = page.last;
  }
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
