import type pg from 'pg';

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
  {
    now,
    batchRows,
    signal,
  }: { readonly now: Date; readonly batchRows: number; readonly signal?: AbortSignal | undefined },
): Promise<number> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM accounts WHERE deleted_at < $1 ORDER BY id', [
    new Date(now.getTime() - SETTLED_AFTER_MS),
  ]);
  let removed = 0;
  for (const { id } of rows) {
    const repeat = async (text: string) => {
      while (!signal?.aborted) {
        const { rows: batch } = await pool.query<{ count: number }>(text, [id, batchRows]);
        if (!batch[0]?.count) return;
      }
    };
    await repeat(REMOVE_DELIVERIES);
    for (const table of TABLES) await repeat(removeFrom(table));
    if (signal?.aborted) return removed;
    const { rowCount } = await pool.query('DELETE FROM accounts WHERE id = $1 AND deleted_at IS NOT NULL', [id]);
    removed += rowCount ?? 0;
  }
  return removed;
}

function removeFrom(table: (typeof TABLES)[number]): string {
  return `
    WITH gone AS (
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
    SELECT count(*)::int AS count FROM gone`;
}

const REMOVE_DELIVERIES = `
  WITH gone AS (
    DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM deliveries WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
  attempts_gone AS (DELETE FROM attempts a USING gone WHERE a.delivery_id = gone.id)
  SELECT count(*)::int AS count FROM gone`;
