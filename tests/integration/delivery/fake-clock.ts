import pg from 'pg';

/** Only the test moves this clock. The search_path of `pool` replaces PostgreSQL's clock with it. */
export interface FakeClock {
  readonly pool: pg.Pool;
  /** Whole milliseconds since 1970. */
  nowMs(): number;
  moveTo(ms: number): Promise<void>;
}

export async function startFakeClock(
  databaseUrl: string,
  { max = 4 }: { readonly max?: number } = {},
): Promise<FakeClock & { close(): Promise<void> }> {
  let nowMs = Math.floor(Date.now() / 1_000) * 1_000;
  const options = '-c search_path=fake,pg_catalog,public';
  const pool = new pg.Pool({ connectionString: databaseUrl, max, options, application_name: 'test' });
  pool.on('error', () => undefined);
  await pool.query('CREATE SCHEMA IF NOT EXISTS fake');
  await pool.query('CREATE TABLE IF NOT EXISTS fake.clock (at timestamptz NOT NULL)');
  await pool.query('INSERT INTO fake.clock SELECT to_timestamp($1::float8 / 1000)', [nowMs]);
  for (const name of ['clock_timestamp', 'statement_timestamp', 'now']) {
    await pool.query(
      `CREATE OR REPLACE FUNCTION fake.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM fake.clock'`,
    );
  }
  return {
    pool,
    nowMs: () => nowMs,
    async moveTo(ms) {
      if (ms < nowMs) throw new Error('A clock does not go back.');
      nowMs = ms;
      await pool.query('UPDATE fake.clock SET at = to_timestamp($1::float8 / 1000)', [ms]);
    },
    close: () => pool.end(),
  };
}
