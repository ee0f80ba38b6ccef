import { claimDeliveries, giveBackClaims } from '@artist-watch/delivery/store/claims';
import { overdueDeliveries, releaseWaiting } from '@artist-watch/delivery/store/release';
import { settleAttempts } from '@artist-watch/delivery/store/settlement';
import type { ArtistId } from '@artist-watch/domain/ids';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { correctInFlight } from '@artist-watch/persistence/destination/skip-undeliverable';
import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { decideSettlement, LIMITS, releaseRows } from './delivery-rows.js';

const BACKLOG = 3_000;
const BATCH = 10;
/** Each row may be read a few times and leave dead versions, but the backlog has many more rows. */
const FEW_ROWS = BATCH * 20;

test("a batch reads only its own rows, even if PostgreSQL's statistics say that nothing is pending", async () => {
  const { pool, databaseUrl, onEnd } = await useSuite();
  await pool.query('ALTER TABLE deliveries SET (autovacuum_enabled = off)');
  const { artistId, destinationId } = await seedDestination(pool);
  // The statistics know only these settled deliveries.
  await confirm(pool, artistId, 1);
  await pool.query(
    `UPDATE deliveries SET state = 'succeeded', next_attempt_at = NULL, relay_at = NULL, settled_at = now()`,
  );
  await pool.query('ANALYZE');
  await confirm(pool, artistId, BACKLOG);
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM deliveries WHERE state = 'pending' ORDER BY id`);
  const ids = rows.map(({ id }) => id);
  // The connection has a worker's settings, and its statements are planned once.
  const database = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'test', avoidSorts: true });
  onEnd(() => database.close());
  const one = database.pool;
  await one.query('SET plan_cache_mode = force_generic_plan');
  const rowsRead = async (work: () => Promise<unknown>) => {
    const before = await readSoFar(one);
    await work();
    return (await readSoFar(one)) - before;
  };
  const batch = ids.slice(0, BATCH);
  await releaseRows(pool, { destinationId }, batch);
  // PostgreSQL would count the rows that this connection has read at its next statement, in the middle of a measurement.
  await pool.query('SELECT pg_stat_force_next_flush()');
  const claimed = () => claimDeliveries(one, batch, 60_000);
  const settled = (from: number, to: number, outcome: 'failed' | 'succeeded') =>
    settleAttempts(
      one,
      batch.slice(from, to).map((id) => decideSettlement(destinationId, id, outcome)),
      LIMITS,
    );

  const reads = {
    claim: await rowsRead(claimed),
    settleFailures: await rowsRead(() => settled(0, 3, 'failed')),
    // Each success releases two deliveries of the backlog.
    settleSuccesses: await rowsRead(() => settled(3, 7, 'succeeded')),
    giveBack: await rowsRead(async () => {
      const claims = [...(await claimed()).values()];
      await giveBackClaims(
        one,
        claims.map((claim) => ({ ...claim, delayMs: 0, pausesDestination: false })),
      );
    }),
    correctInFlight: await rowsRead(() => correctInFlight(one)),
    overdue: await rowsRead(() => overdueDeliveries(one, { graceMs: 0, limit: BATCH })),
    release: await rowsRead(async () => {
      await pool.query('UPDATE destinations SET in_flight = 0');
      expect(await releaseWaiting(one, BATCH)).toHaveLength(2);
    }),
    releaseNothing: await rowsRead(async () => expect(await releaseWaiting(one, BATCH)).toHaveLength(0)),
  };

  for (const [statement, read] of Object.entries(reads)) {
    expect({ statement, readsFew: read <= FEW_ROWS, read }).toMatchObject({ statement, readsFew: true });
  }
});

/** PostgreSQL caches its plans after five executions. */
async function plannedWith(few: number, known: string, renewal: { readonly maxPlanAgeMs?: number }) {
  const { pool, databaseUrl, onEnd } = await useSuite();
  await pool.query('ALTER TABLE deliveries SET (autovacuum_enabled = off)');
  // The tables stay without statistics, as in a new installation.
  await pool.query('TRUNCATE deliveries CASCADE');
  const { artistId, destinationId } = await seedDestination(pool);
  if (few > 0) await confirm(pool, artistId, few);
  if (known) await pool.query(known);
  const database = openDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'test',
    avoidSorts: true,
    ...renewal,
  });
  onEnd(() => database.close());
  return { pool, database, artistId, destinationId };
}

test.each([
  ['nothing', 0, '', {}],
  ['a few deliveries', 30, '', {}],
  ['a few analyzed deliveries', 30, 'VACUUM ANALYZE', {}],
  ['no analyzed row', 0, 'VACUUM ANALYZE', { maxPlanAgeMs: 0 }],
  ['one analyzed delivery', 1, 'VACUUM ANALYZE', { maxPlanAgeMs: 0 }],
])('a batch reads only its own rows, even if its statements were planned with %s', async (_, few, known, renewal) => {
  const { pool, database, artistId, destinationId } = await plannedWith(few, known, renewal);
  for (let time = 0; time < 8; time += 1) await deliverBatch(database.pool, destinationId);
  await confirm(pool, artistId, LARGE_BACKLOG);
  for (const connection of [pool, database.pool]) await connection.query('SELECT pg_stat_force_next_flush()');

  const before = await readSoFar(database.pool);
  const delivered = await deliverBatch(database.pool, destinationId);
  const read = (await readSoFar(database.pool)) - before;

  expect(delivered).toBeGreaterThanOrEqual(2);
  expect({ read, readsFew: read <= 4 * FEW_ROWS }).toMatchObject({ readsFew: true });
});

test('a claim, a settlement and a returned claim read only their own destinations among thousands', async () => {
  const { pool, database, artistId, destinationId } = await plannedWith(0, '', {});
  await pool.query(
    `INSERT INTO destinations (id, account_id, kind, url, created_at)
     SELECT new_id('dst', now()), account_id, 'webhook', 'https://receiver.example/' || n, now()
       FROM destinations, generate_series(1, 5000) n WHERE id = $1`,
    [destinationId],
  );
  await pool.query('VACUUM ANALYZE');
  const destinationsRead = async (work: () => Promise<unknown>) => {
    const read = async () => {
      await database.pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await database.pool.query<{ read: string }>(
        `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables WHERE relname = 'destinations'`,
      );
      return Number(rows[0]?.read);
    };
    const before = await read();
    await work();
    return (await read()) - before;
  };
  await confirm(pool, artistId, 12);
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM deliveries WHERE destination_id = $1 AND state = 'pending' ORDER BY id LIMIT 6`,
    [destinationId],
  );
  const ids = rows.map(({ id }) => id);
  await releaseRows(pool, { destinationId }, ids);
  await pool.query('UPDATE destinations SET consecutive_failures = 1 WHERE id = $1', [destinationId]);
  const settle = (from: number, outcome: 'failed' | 'succeeded') =>
    settleAttempts(
      database.pool,
      ids.slice(from, from + 2).map((id) => decideSettlement(destinationId, id, outcome)),
      LIMITS,
    );
  const read = {
    claim: await destinationsRead(() => claimDeliveries(database.pool, ids, 60_000)),
    settleFailures: await destinationsRead(() => settle(0, 'failed')),
    settleSuccesses: await destinationsRead(() => settle(2, 'succeeded')),
    giveBack: await destinationsRead(async () => {
      await pool.query('UPDATE deliveries SET claimed_until = NULL WHERE id = ANY($1)', [ids.slice(4)]);
      const claims = await claimDeliveries(database.pool, ids.slice(4), 60_000);
      const returned = [...claims.values()].map((claim) => ({ ...claim, delayMs: 0, pausesDestination: true }));
      await giveBackClaims(database.pool, returned);
    }),
  };
  for (const [statement, rowsRead] of Object.entries(read)) {
    expect({ statement, rowsRead, readsFew: rowsRead <= 100 }).toMatchObject({ statement, readsFew: true });
  }
});

test('the statements for deliveries keep their plans, regardless of the batch size', async () => {
  const { pool, database, artistId, destinationId } = await plannedWith(0, '', {});
  for (let time = 0; time < 20; time += 1) {
    const changeIds = await seedConfirmedChanges(pool, artistId, 1 + (time % 6));
    await inTransaction(database.pool, (client) => fanOutChanges(client, changeIds, new Date()));
    await deliverBatch(database.pool, destinationId);
    await overdueDeliveries(database.pool, { graceMs: 0, limit: BATCH });
    await correctInFlight(database.pool);
    const failures = Array.from({ length: 1 + (time % 6) }, (_, n) =>
      decideSettlement(destinationId, `dlv_${n}`, 'failed'),
    );
    await settleAttempts(database.pool, failures, LIMITS);
  }
  const { rows } = await database.pool.query<{ name: string; kept: number; planned: number }>(
    'SELECT name, generic_plans::int AS kept, custom_plans::int AS planned FROM pg_prepared_statements ORDER BY name',
  );
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['claim', 'overdue-deliveries', 'release-waiting', 'settle', 'settle-successes']),
  );
  // PostgreSQL plans each statement five times before it decides whether to cache a plan.
  expect(rows.filter(({ planned }) => planned > 5)).toEqual([]);
});

test('changes are found by their ids, even if the statements were planned when their artist had few changes', async () => {
  const { pool, databaseUrl, onEnd } = await useSuite();
  await pool.query('TRUNCATE changes, watches, deliveries CASCADE');
  await pool.query('ALTER TABLE changes SET (autovacuum_enabled = off)');
  const { artistId } = await seedDestination(pool);
  // Statements of change-ingest are also planned once for some seconds.
  const database = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'test' });
  onEnd(() => database.close());
  await database.pool.query('SET plan_cache_mode = force_generic_plan');
  const confirmed = async () => {
    const changeIds = await seedConfirmedChanges(pool, artistId, BATCH);
    return inTransaction(database.pool, async (client) => {
      await fanOutChanges(client, changeIds, new Date());
      return blocksOfChanges(client);
    });
  };

  const atFirst = await confirmed();
  await seedConfirmedChanges(pool, artistId, 2 * LARGE_BACKLOG);
  const read = await confirmed();
  // The indexes are one level deeper, so the transaction reads 23 blocks instead of 13. A plan that starts with
  // accounts and watches would read 98.
  expect({ atFirst, read, readsFew: read <= 2 * atFirst }).toMatchObject({ readsFew: true });
});

/** PostgreSQL does not count the entries that an index scan skips. */
async function blocksOfChanges(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ read: string }>(
    `SELECT sum(pg_stat_get_xact_blocks_fetched(id)) AS read
       FROM (SELECT 'changes'::regclass::oid AS id
             UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = 'changes'::regclass) parts`,
  );
  return Number(rows[0]?.read);
}

const LARGE_BACKLOG = 10_000;

/** Also delivers what the settlement releases. Returns the number of deliveries. */
async function deliverBatch(pool: pg.Pool, destinationId: string): Promise<number> {
  let delivered = 0;
  let ids = (await releaseWaiting(pool, BATCH)).map(({ deliveryId }) => deliveryId);
  for (let rounds = 0; ids.length > 0 && rounds < 2; rounds += 1) {
    await claimDeliveries(pool, ids, 60_000);
    const { results, released } = await settleAttempts(
      pool,
      ids.map((id) => decideSettlement(destinationId, id, 'succeeded')),
      LIMITS,
    );
    delivered += results.filter(Boolean).length;
    ids = released.map(({ deliveryId }) => deliveryId);
  }
  // These deliveries fail, because the next batch must start with an idle destination.
  await settleAttempts(
    pool,
    ids.map((id) => decideSettlement(destinationId, id, 'failed', { nextState: 'failed', retryDelayMs: null })),
    LIMITS,
  );
  await pool.query('UPDATE destinations SET consecutive_failures = 0, pace_ms = NULL, paced_until = NULL');
  return delivered;
}

async function confirm(pool: pg.Pool, artistId: ArtistId, count: number): Promise<void> {
  const changeIds = await seedConfirmedChanges(pool, artistId, count);
  await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));
}

async function readSoFar(one: pg.Pool): Promise<number> {
  await one.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await one.query<{ read: string }>(
    `SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'deliveries') AS read
       FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
  );
  return Number(rows[0]?.read);
}
