import type pg from 'pg';

/**
 * For millions of rows: empties the tables, takes away the indexes that hold no constraint and the look-ups of foreign
 * keys, does the work, and builds the indexes again, all in one transaction. With `wal_level` minimal PostgreSQL then
 * writes no log of rows whose table is new to the transaction.
 */
export async function fillQuickly(
  pool: pg.Pool,
  tables: readonly string[],
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL session_replication_role = 'replica'");
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
         FROM pg_index i
        WHERE i.indrelid::regclass::text = ANY($1)
          AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
      [tables],
    );
    for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
    await client.query(`TRUNCATE ${tables.join(', ')} CASCADE`);
    await work(client);
    for (const { definition } of rows) await client.query(definition);
    await client.query('COMMIT');
  } finally {
    // A transaction that was not committed ends with its connection.
    client.release(true);
  }
}
