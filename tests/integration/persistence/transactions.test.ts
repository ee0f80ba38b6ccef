import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { type Database, inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';

let database: Database;
let pool: pg.Pool;

beforeAll(async () => {
  const suite = await useSuite();
  pool = suite.pool;
  database = openDatabase({ url: suite.databaseUrl, applicationName: 'transactions', idleInTransactionMs: 200 });
  suite.onEnd(() => database.close());
});

async function backend(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid as number;
}

async function untilGone(pid: number): Promise<void> {
  const query = 'SELECT FROM pg_stat_activity WHERE pid = $1';
  await until('the connection to end', async () => (await pool.query(query, [pid])).rowCount === 0);
}

describe('a transaction', () => {
  test('a transaction rejects without further effects if its connection breaks between two statements', async () => {
    const broken = inTransaction(database.pool, async (client) => {
      const pid = await backend(client);
      await pool.query('SELECT pg_terminate_backend($1)', [pid]);
      await untilGone(pid);
      await client.query('SELECT 1');
    });
    await expect(broken).rejects.toThrow();
    await expect(database.ping()).resolves.toBeUndefined();
  });

  test('a transaction that stays idle is ended and releases its locks', async () => {
    await pool.query(`INSERT INTO accounts (id, name, plan, created_at) VALUES ('acc_1', 'Label', 'free', now())`);
    const stuck = inTransaction(database.pool, async (client) => {
      await client.query(`UPDATE accounts SET name = 'lost' WHERE id = 'acc_1'`);
      await untilGone(await backend(client));
      await client.query('SELECT 1');
    });
    const stuckEnded = expect(stuck).rejects.toThrow();
    await pool.query(`UPDATE accounts SET plan = 'pro' WHERE id = 'acc_1'`);
    await stuckEnded;
    const { rows } = await pool.query('SELECT name, plan FROM accounts');
    expect(rows).toEqual([{ name: 'Label', plan: 'pro' }]);
  });
});
