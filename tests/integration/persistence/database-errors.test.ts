import { setTimeout as sleep } from 'node:timers/promises';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { accountStore } from '@artist-watch/persistence/account/store';
import { type Database, inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { isDatabaseUnavailable } from '@artist-watch/persistence/database/database-errors';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, expect, test } from '@jest/globals';
import { givenAccount, openStores, type Stores, start } from './given.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('It went well.');
    },
    (error: unknown) => error,
  );
}

test('an unreachable database server counts as unavailable, in Prisma and in the driver', async () => {
  const { onEnd } = await useSuite();
  const nowhere = openDatabase({ url: 'postgresql://user@127.0.0.1:1/x', applicationName: 'test' });
  onEnd(() => nowhere.close());
  const accounts = accountStore(nowhere);
  const id = newId('acc', start);
  expect(isDatabaseUnavailable(await errorOf(nowhere.ping()))).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(accounts.find(id)))).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(accounts.setPlan({ id, plan: 'free', now: start })))).toBe(true);
});

test('a connection that the database server ends during a statement counts as unavailable', async () => {
  const { pool } = stores.database;
  const prisma = await stores.database.prisma();
  const end = 'SELECT pg_terminate_backend(pg_backend_pid())';
  expect(isDatabaseUnavailable(await errorOf(pool.query(end)))).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(prisma.$queryRawUnsafe(end)))).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(prisma.$transaction((inside) => inside.$queryRawUnsafe(end))))).toBe(true);
});

test('a changed password or a missing database counts as unavailable', async () => {
  const { databaseUrl, pool, onEnd } = await useSuite();
  const role = `role_${new URL(databaseUrl).pathname.slice(1)}`;
  await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'before'`);
  onEnd(() => pool.query(`DROP ROLE ${role}`));
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = 'before';
  const database = openDatabase({ url: url.href, applicationName: 'test' });
  onEnd(() => database.close());
  const held = await database.pool.connect();
  onEnd(() => held.release());
  await pool.query(`ALTER ROLE ${role} PASSWORD 'after'`);
  expect(isDatabaseUnavailable(await errorOf(database.ping()))).toBe(true);
  expect(isDatabaseUnavailable(await errorOf((await database.prisma()).account.count()))).toBe(true);
  // Open connections stay open.
  await held.query('SELECT 1');

  const gone = new URL(databaseUrl);
  gone.pathname = '/replaced';
  const nowhere = openDatabase({ url: gone.href, applicationName: 'test' });
  onEnd(() => nowhere.close());
  expect(isDatabaseUnavailable(await errorOf(nowhere.ping()))).toBe(true);
});

test('a pool that has no free connection in time counts as unavailable', async () => {
  const { databaseUrl, onEnd } = await useSuite();
  const narrow = openDatabase({ url: databaseUrl, applicationName: 'test', poolSize: 1, connectTimeoutMs: 2_000 });
  onEnd(() => narrow.close());
  const held = await narrow.pool.connect();
  expect(isDatabaseUnavailable(await errorOf(accountStore(narrow).find(newId('acc', start))))).toBe(true);
  held.release();
});

test('a silent server counts as unavailable during a statement, but not while the connection is idle', async () => {
  const { databaseUrl, onEnd } = await useSuite();
  const relay = await startRelay(databaseUrl);
  onEnd(() => relay.close());
  const lost: Error[] = [];
  const { pool, close } = openDatabase({
    url: relay.url,
    applicationName: 'test',
    poolSize: 1,
    responseTimeoutMs: 200,
  });
  pool.on('error', (error) => lost.push(error));
  onEnd(close);
  const backend = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  const first = await backend();
  await sleep(500);
  expect(await backend()).toBe(first);

  relay.freeze();
  expect(isDatabaseUnavailable(await errorOf(pool.query('SELECT 1')))).toBe(true);
  relay.restore();
  expect(await backend()).not.toBe(first);
  expect(lost).toEqual([]);
});

test('a response that arrived while this process was frozen is read', async () => {
  const { databaseUrl, onEnd } = await useSuite();
  const { pool, close } = openDatabase({
    url: databaseUrl,
    applicationName: 'test',
    poolSize: 1,
    responseTimeoutMs: 500,
  });
  onEnd(close);
  await pool.query('SELECT 1');
  const answer = pool.query('SELECT pg_sleep(0.2), 2 AS two');
  await new Promise((resolve) => setImmediate(resolve));
  // Blocks the event loop.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  expect((await answer).rows).toMatchObject([{ two: 2 }]);
});

test('a transaction that waits for its own process is not aborted', async () => {
  const { databaseUrl, onEnd } = await useSuite();
  const patient = openDatabase({ url: databaseUrl, applicationName: 'test', responseTimeoutMs: 100 });
  onEnd(() => patient.close());
  const counted = await inTransaction(patient.pool, async (client) => {
    await client.query('SELECT 1');
    await sleep(300);
    return (await client.query('SELECT 2 AS two')).rows[0].two;
  });
  expect(counted).toBe(2);
});

test('a statement that violates a constraint does not count as unavailable', async () => {
  const id = await givenAccount(stores.database);
  const again = accountStore(stores.database).create({ id, name: 'x', plan: 'free', now: start });
  expect(isDatabaseUnavailable(await errorOf(again))).toBe(false);
  expect(isDatabaseUnavailable(await errorOf(stores.database.pool.query('SELECT 1/0')))).toBe(false);
});

test.each<[how: string, write: (database: Database) => Promise<unknown>]>([
  ['by a statement', ({ pool }) => pool.query('CREATE TABLE written ()')],
  ['in a transaction', ({ pool }) => inTransaction(pool, (client) => client.query('CREATE TABLE written ()'))],
  ['by Prisma', async ({ prisma }) => (await prisma()).$executeRawUnsafe('CREATE TABLE written ()')],
  [
    'by Prisma, in a transaction',
    async ({ prisma }) =>
      (await prisma()).$transaction((inside) => inside.$executeRawUnsafe('CREATE TABLE written ()')),
  ],
])('a read-only connection, for example to a standby, is replaced after it has rejected %s', async (_how, write) => {
  const { databaseUrl, pool, onEnd } = await useSuite();
  const admin = await pool.connect();
  onEnd(() => admin.release());
  const name = admin.escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
  await admin.query('SET default_transaction_read_only = off');
  await admin.query('DROP TABLE IF EXISTS written');
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const database = openDatabase({ url: databaseUrl, applicationName: 'test', poolSize: 1 });
  onEnd(() => database.close());
  const refusal = await errorOf(write(database));
  await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  expect(isDatabaseUnavailable(refusal)).toBe(true);
  await write(database);
});
