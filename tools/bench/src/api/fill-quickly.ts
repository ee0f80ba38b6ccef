import type pg from 'pg';

/**
 * For millions of rows: takes away the indexes that hold no constraint and the look-ups of foreign keys, does the work on
 * one connection, and builds the indexes again.
 */
export async function fillQuickly(
  pool: pg.Pool,
  tables: readonly string[],
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
         FROM pg_index i
        WHERE i.indrelid::regclass::text = ANY($1)
          AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
      [tables],
    );
    for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
    await client.query('SET session_replication_role = replica');
    await work(client);
    for (const { definition } of rows) await client.query(definition);
  } finally {
    // The setting must not come back to somebody else with the connection.
    client.release(true);
  }
}
