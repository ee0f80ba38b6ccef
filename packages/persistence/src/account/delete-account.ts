import type { AccountId } from '@artist-watch/domain/ids';
import { Conflict } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { removeMembers } from './members.js';
import { withAccountLocked } from './store.js';

/**
 * Deletes an account. The retention job removes its remaining rows within a day.
 * @param request.name protects against deleting the wrong account.
 * @throws NotFound, Conflict if the name differs.
 */
export function deleteAccount(
  database: Database,
  { id, name, now }: { readonly id: AccountId; readonly name: string; readonly now: Date },
) {
  return withAccountLocked(database, id, async (transaction) => {
    const where = { accountId: id };
    const account = await transaction.account.findUniqueOrThrow({ where: { id } });
    if (account.name !== name) throw new Conflict(`The account's name is "${account.name}".`);
    const [counted] = await transaction.$queryRaw<[{ changes: number; deliveries: number }]>`
      SELECT (SELECT count(*)::int FROM feed_items WHERE account_id = ${id}) AS changes,
             (SELECT count(*)::int FROM deliveries WHERE account_id = ${id}) AS deliveries`;
    const { count: keys } = await transaction.apiKey.deleteMany({ where });
    await transaction.feedToken.deleteMany({ where });
    const members = await removeMembers(transaction, id);
    const destinations = await transaction.$executeRaw`
      WITH locked AS (SELECT id FROM destinations WHERE account_id = ${id} AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE)
      UPDATE destinations t SET deleted_at = ${now}, sealed_secret = NULL, sealed_next_secret = NULL,
             sealed_headers = NULL FROM locked WHERE t.id = locked.id`;
    // Locks artists in the same order as known-artists.ts does.
    await transaction.$executeRaw`
      SELECT 1 FROM artists a JOIN watches w ON w.artist_id = a.id
       WHERE w.account_id = ${id} ORDER BY a.platform_id COLLATE "C" FOR NO KEY UPDATE OF a`;
    await transaction.$executeRaw`
      UPDATE artists a SET next_poll_at = NULL FROM watches w
       WHERE w.artist_id = a.id AND w.account_id = ${id}
         AND NOT EXISTS (SELECT FROM watches o WHERE o.artist_id = a.id AND o.account_id <> ${id})`;
    const { count: watches } = await transaction.watch.deleteMany({ where });
    await transaction.account.update({ where: { id }, data: { deletedAt: now } });
    return { id, name, keys, members, watches, destinations, ...counted };
  });
}

/** After this time, no pending work can still add rows for a deleted account. */
const SETTLED_AFTER_MS = 5 * 60_000;

/** These tables have no foreign key to accounts, or too many rows to delete in one cascade. */
const TABLES = [
  'feed_items',
  'test_feed_items',
  'change_handling',
  'tool_allowances',
  'search_allowances',
  'watch_allowances',
  'request_days',
  'idempotency_keys',
  'idempotency_bytes',
  'mails',
  'audit_events',
] as const;

/**
 * Deletes rows in batches. Each replica skips rows that another one has locked.
 * @returns the number of deleted accounts.
 */
export async function removeDeletedAccounts(
  pool: pg.Pool,
  request: { readonly now: Date; readonly batchRows: number; readonly signal?: AbortSignal | undefined },
): Promise<number> {
  const { now, batchRows, signal } = request;
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM accounts WHERE deleted_at < $1 ORDER BY id', [
    new Date(now.getTime() - SETTLED_AFTER_MS),
  ]);
  let removed = 0;
  for (const { id } of rows) {
    const repeat = async (deleteSome: () => Promise<number>) => {
      while (!signal?.aborted && (await deleteSome()) > 0);
    };
    await repeat(async () => (await pool.query(REMOVE_DELIVERIES, [id, batchRows])).rowCount ?? 0);
    for (const table of TABLES) await repeat(() => deleteBatch(pool, table, 'account_id = $2', [id], batchRows));
    if (signal?.aborted) return removed;
    const { rowCount } = await pool.query('DELETE FROM accounts WHERE id = $1 AND deleted_at IS NOT NULL', [id]);
    removed += rowCount ?? 0;
  }
  return removed;
}

/**
 * Skips rows that another replica is deleting.
 * @param parameters for `where`, starting at $2.
 */
export async function deleteBatch(
  pool: pg.Pool,
  table: string,
  where: string,
  parameters: readonly unknown[],
  batchRows: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM ${table} WHERE ${where} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [batchRows, ...parameters],
  );
  return rowCount ?? 0;
}

const REMOVE_DELIVERIES = `
  WITH gone AS (
    DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM deliveries WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
  attempts_gone AS (DELETE FROM attempts a USING gone WHERE a.delivery_id = gone.id)
  SELECT FROM gone`;
