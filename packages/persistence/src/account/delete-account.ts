import type { AccountId } from '@artist-watch/domain/ids';
import { Conflict } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { withAccountLocked } from './lock.js';
import { removeSeats } from './members.js';

/** What goes with an account. */
export interface DeletedAccount {
  readonly id: AccountId;
  readonly name: string;
  readonly keys: number;
  readonly members: number;
  readonly watches: number;
  readonly destinations: number;
  readonly deliveries: number;
  /** Changes in its feed. */
  readonly changes: number;
}

/**
 * Deletes an account. From the end of this transaction on nobody gets in, nothing is read for it and nothing is sent;
 * retention removes all that it had, within a day.
 *
 * @param request.name what the account is called, so that none is deleted by mistake.
 * @throws NotFound, Conflict when it is called otherwise.
 */
export function deleteAccount(
  database: Database,
  { id, name, now }: { readonly id: AccountId; readonly name: string; readonly now: Date },
): Promise<DeletedAccount> {
  return withAccountLocked(database, id, async (transaction) => {
    const where = { accountId: id };
    const account = await transaction.account.findUniqueOrThrow({ where: { id } });
    if (account.name !== name) throw new Conflict(`The account is called "${account.name}".`);
    const [counted] = await transaction.$queryRaw<[{ changes: number; deliveries: number }]>`
      SELECT (SELECT count(*)::int FROM feed_items WHERE account_id = ${id}) AS changes,
             (SELECT count(*)::int FROM deliveries WHERE account_id = ${id}) AS deliveries`;
    const { count: keys } = await transaction.apiKey.deleteMany({ where });
    await transaction.feedToken.deleteMany({ where });
    const members = await removeSeats(transaction, id);
    const destinations = await transaction.$executeRaw`
      WITH held AS (SELECT id FROM destinations WHERE account_id = ${id} AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE)
      UPDATE destinations t SET deleted_at = ${now}, sealed_secret = NULL, sealed_next_secret = NULL FROM held WHERE t.id = held.id`;
    // In the order of known-artists.ts. Whom nobody follows any more is not read.
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

/** What was being done for an account when it was deleted has ended by then, and leaves no row behind its back. */
const SETTLED_AFTER_MS = 5 * 60_000;

/** Tables whose rows belong to an account without a foreign key, or are too many for one cascade. */
const TABLES = [
  'feed_items',
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
 * Removes what deleted accounts had, in batches, and then the accounts with all that refers to them. Safe at any time and
 * on several replicas at once: rows that another one is deleting are passed over.
 *
 * @returns how many accounts are gone for good.
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

/** Deletes rows, but for those that another replica is deleting. @param parameters of `where`, from $2 on. */
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
