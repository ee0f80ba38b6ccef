// @ts-nocheck
import { newestPosition, recordedPageStatement } from '@artist-watch/persistence/change/feed-range';
import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { test } from '@jest/globals';

const { pool } = await useSuite();
const since = new Date('2025-01-01');
async function fill(rows: number) {
  const { accountId } = await seedAccount(pool);
  for (let from = 0; from < rows; from += 500_000) {
    await pool.query(
      `INSERT INTO feed_items (account_id, confirmed_at, change_id, severity, position)
       SELECT $1, '2026-01-01'::timestamptz + n * interval '1 second', new_id('chg', now() + n * interval '1 ms'), 'info', (2969000::bigint << 40) + n / 3
         FROM generate_series($2::int, $3::int) n`, [accountId, from + 1, Math.min(rows, from + 500_000)]);
  }
  return accountId;
}
async function measure(accountId: never, after: any) {
  const { text, values } = recordedPageStatement({ accountId, since, after, filter: {} }, 200);
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  const times: number[] = [];
  for (let i = 0; i < 400; i += 1) { const t = performance.now(); await pool.query({ name: 'x', text, values: [...values] }); times.push(performance.now() - t); }
  times.sort((a, b) => a - b);
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: plan['Actual Rows'], p50: times[200]?.toFixed(3), p10: times[40]?.toFixed(3) };
}
test('x', async () => {
  const out: unknown[] = [];
  // insertion cost of 100,000 feed rows in one statement, with and without the position
  const accounts = `SELECT 'acc_' || n FROM generate_series(1, 100000) n`;
  await pool.query(`INSERT INTO accounts (id, name, plan, created_at) SELECT 'acc_' || n, 'x', 'free', now() FROM generate_series(1, 100000) n`);
  for (const round of [1, 2, 3]) for (const position of ['(SELECT feed_position())', 'NULL::bigint', 'DEFAULT']) {
    const t = performance.now();
    const w0 = (await pool.query('SELECT pg_current_wal_insert_lsn() AS l')).rows[0].l;
    const columns = position === 'DEFAULT' ? '' : ', position';
    const value = position === 'DEFAULT' ? '' : `, ${position}`;
    await pool.query(`INSERT INTO feed_items (account_id, confirmed_at, change_id, severity${columns}) SELECT 'acc_' || n, now(), new_id('chg', now()), 'info'${value} FROM generate_series(1, 100000) n`);
    const w = (await pool.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 / 1e6 AS mb', [w0])).rows[0].mb;
    out.push({ round, position, ms: Math.round(performance.now() - t), walMb: w.toFixed(1) });
  }
  const small = await fill(10_000);
  const large = await fill(5_000_000);
  await pool.query('INSERT INTO feed_generations SELECT 2969001, pg_postmaster_start_time() WHERE false');
  await pool.query('UPDATE feed_generations SET generation = 2980000');
  await pool.query('VACUUM ANALYZE feed_items');
  const start = { position: '0', changeId: '' };
  for (let round = 0; round < 2; round += 1)
  for (const [name, id] of [['10k', small], ['5M', large]] as const) {
    out.push({ name, first: await measure(id as never, start) });
    const newest = await newestPosition(pool, id);
    out.push({ name, empty: await measure(id as never, newest) });
    const { rows } = await pool.query('SELECT position, change_id AS "changeId" FROM feed_items WHERE account_id = $1 ORDER BY position OFFSET $2 LIMIT 1', [id, name === '5M' ? 2_500_000 : 5_000]);
    out.push({ name, middle: await measure(id as never, rows[0]) });
  }
  process.stderr.write(out.map((one) => JSON.stringify(one)).join('\n') + '\n');
}, 900_000);
