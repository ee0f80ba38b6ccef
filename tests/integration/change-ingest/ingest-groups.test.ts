import { createPostgresReportedChanges } from '@artist-watch/change-ingest/adapters/postgres-reported-changes';
import { completeChange } from '@artist-watch/change-ingest/application/ingest/accept-changes';
import type { RecordedChanges } from '@artist-watch/contracts/ingest/changes';
import { useSuite } from '@artist-watch/harness/suite';
import { noTracing } from '@artist-watch/observability/tracing/tracing';
import type { FannedOut } from '@artist-watch/persistence/change/change-fan-out';
import { newId } from '@artist-watch/runtime/ids';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { destinationOf, openTestDatabase, watching } from './ingest-fixture.js';

const { databaseUrl, pool } = await useSuite();
const database = openTestDatabase(databaseUrl);
const now = new Date('2026-03-01T12:00:00.000Z');
let takesDirectly = false;
const handedOver: FannedOut[] = [];
const record = createPostgresReportedChanges({
  database,
  platform: 'deezer',
  tracing: noTracing,
  relay: {
    takesDirectly: () => takesDirectly,
    handOver(fannedOut) {
      handedOver.push(fannedOut);
    },
  },
});

beforeEach(async () => {
  takesDirectly = false;
  handedOver.length = 0;
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries CASCADE');
});
afterEach(() => pool.query('DROP TRIGGER IF EXISTS refuse ON changes'));
afterAll(async () => {
  await record.stop();
  await database.close();
});

const change = (externalId: string, over: { entityName?: string; artist?: string } = {}) => {
  const { entityName = 'Discovery', artist = '27' } = over;
  const item = {
    externalId,
    artistPlatformId: artist,
    artistName: `Artist ${artist}`,
    type: 'release_removed',
    severity: undefined,
    entityType: 'release' as const,
    entityId: '302127',
    entityName,
    summary: undefined,
    detectedAt: now,
    confirmedAt: undefined,
  };
  return completeChange(item, 'deezer', newId('chg', now), now);
};
/** Of requests that arrive in the same moment. */
const together = (...requests: ReturnType<typeof change>[][]) =>
  Promise.all(requests.map((changes) => record.record(changes, now)));
const counts = (answer: RecordedChanges) =>
  answer.kind === 'recorded' ? [answer.accepted.length, answer.duplicates] : answer.externalIds;
/** The external ids of each transaction, in its order. */
async function transactions(): Promise<string[][]> {
  const { rows } = await pool.query<{ ids: string[] }>(
    `SELECT array_agg(external_id ORDER BY external_id) AS ids FROM changes GROUP BY xmin::text ORDER BY 1`,
  );
  return rows.map(({ ids }) => ids);
}
/** Lets the record refuse what `condition` says of the inserted rows `added`. */
async function refuseInserts(condition: string, errorCode: string): Promise<void> {
  await pool.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT ${condition} FROM added) THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${errorCode}'; END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER refuse AFTER INSERT ON changes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
}

test('requests that arrive together share a transaction, and each gets its own answer', async () => {
  await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
  await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
  await record.record([change('old')], now);
  const requests = Array.from({ length: 32 }, (_, n) => [change(`e${n}`, { artist: String(20 + n) })]);
  const answers = await together(...requests, [change('old'), change('new')], [change('old')].slice(1));

  expect(answers.slice(0, 32)).toEqual(
    requests.map(([one]) => ({ kind: 'recorded', accepted: [one?.id], duplicates: 0 })),
  );
  expect(answers.slice(32).map(counts)).toEqual([
    [1, 1],
    [0, 0],
  ]);
  expect(await transactions()).toHaveLength(2);
  expect(handedOver).toEqual([
    { deliveries: 1, direct: [] },
    { deliveries: 2, direct: [] },
  ]);
  const { rows } = await pool.query('SELECT account_id, change_id FROM deliveries ORDER BY change_id');
  expect(rows).toHaveLength(3);
});

test('a request with a conflict is refused, and keeps none of those beside it from being recorded', async () => {
  await record.record([change('old'), change('older')], now);
  const answers = await together(
    [change('a')],
    [change('b', { artist: '99' }), change('old', { entityName: 'Homework' })],
    [change('c'), change('older')],
  );
  expect(answers.map(counts)).toEqual([[1, 0], ['old'], [1, 1]]);
  expect(await transactions()).toEqual([
    ['a', 'c'],
    ['old', 'older'],
  ]);
  expect((await pool.query('SELECT platform_id FROM artists')).rows).toEqual([{ platform_id: '27' }]);
});

test('the same external_id in requests that arrive together is recorded once, and its other content is a conflict', async () => {
  const answers = await together(
    [change('a'), change('b')],
    [change('b'), change('c')],
    [change('a', { entityName: 'Homework' }), change('d')],
    [change('e')],
  );
  expect(answers.map(counts)).toEqual([[2, 0], [1, 1], ['a'], [1, 0]]);
  expect(await transactions()).toEqual([['a', 'b', 'e'], ['c']]);
});

test('what the record refuses of one request fails that one alone', async () => {
  await refuseInserts(`bool_or(external_id = 'bad')`, 'P0001');
  const answers = await Promise.allSettled(['a', 'bad', 'b'].map((id) => record.record([change(id)], now)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await transactions()).toEqual([['a'], ['b']]);
});

test('requests that take too long together are recorded one by one', async () => {
  await refuseInserts('count(*) > 1', '57014');
  const answers = await together([change('a')], [change('b')], [change('c')]);
  expect(answers.map(counts)).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
  expect(await transactions()).toEqual([['a'], ['b'], ['c']]);
});

test('a request waits neither for one that another replica holds up, nor for those behind it', async () => {
  const elsewhere = await pool.connect();
  await elsewhere.query('BEGIN');
  await elsewhere.query(
    `INSERT INTO artists (id, platform, platform_id, name, created_at) VALUES ('art_x', 'deezer', '99', 'X', now())`,
  );
  const held = record.record([change('held', { artist: '99' })], now);
  await new Promise((resolve) => setImmediate(resolve));
  expect(counts(await record.record([change('free')], now))).toEqual([1, 0]);
  await elsewhere.query('COMMIT');
  elsewhere.release();
  expect(counts(await held)).toEqual([1, 0]);
});

const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => change(`${prefix}${String(n).padStart(4, '0')}`));

test('many changes are written fifty at a time, and all of them or none', async () => {
  await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
  await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
  await refuseInserts('count(*) > 50', 'P0001');
  expect(counts(await record.record(many('a', 250), now))).toEqual([250, 0]);
  expect(await transactions()).toHaveLength(1);
  expect(handedOver).toEqual([{ deliveries: 250, direct: [] }]);

  // Conflicts in the first part and in the last one.
  await record.record([change('A')], now);
  const other = { entityName: 'Homework' };
  const withConflicts = [change('A', other), ...many('B', 200), change('a0249', other)];
  expect(counts(await record.record(withConflicts, now))).toEqual(['A', 'a0249']);
  expect((await pool.query('SELECT FROM changes')).rowCount).toBe(251);
  expect((await pool.query('SELECT FROM deliveries')).rowCount).toBe(251);
});

test('many changes go on beside a few that another replica holds up', async () => {
  const elsewhere = await pool.connect();
  await elsewhere.query('BEGIN');
  await elsewhere.query(
    `INSERT INTO artists (id, platform, platform_id, name, created_at) VALUES ('art_y', 'deezer', '98', 'Y', now())`,
  );
  const held = record.record([change('few', { artist: '98' })], now);
  await new Promise((resolve) => setImmediate(resolve));
  expect(counts(await record.record(many('c', 250), now))).toEqual([250, 0]);
  await elsewhere.query('COMMIT');
  elsewhere.release();
  expect(counts(await held)).toEqual([1, 0]);
});

describe('deliveries that go to the queue directly', () => {
  const direct = () => handedOver.map(({ direct }) => direct.map(({ destinationId }) => destinationId));
  /** How many wait in the record, and how many are marked as queued, by destination. */
  const places = async () =>
    (
      await pool.query(
        `SELECT destination_id AS id, count(relay_at)::int AS waiting, (count(*) - count(relay_at))::int AS queued
           FROM deliveries GROUP BY 1 ORDER BY 1`,
      )
    ).rows;

  beforeEach(async () => {
    takesDirectly = true;
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
    await destinationOf(pool, { id: 'dst_2', accountId: 'acc_1' });
    await destinationOf(pool, { id: 'dst_off', accountId: 'acc_1', off: true });
  });

  test('are the first four of each destination, and nothing behind one that waits', async () => {
    await together(...Array.from({ length: 6 }, (_, n) => [change(`e${n}`)]));
    expect(direct().map((ids) => ids.toSorted())).toEqual([[...Array(4).fill('dst_1'), ...Array(4).fill('dst_2')]]);
    expect(await places()).toEqual([
      { id: 'dst_1', waiting: 2, queued: 4 },
      { id: 'dst_2', waiting: 2, queued: 4 },
      { id: 'dst_off', waiting: 0, queued: 6 },
    ]);
    await pool.query(`UPDATE deliveries SET relay_at = NULL WHERE destination_id = 'dst_2'`);
    await record.record([change('later')], now);
    expect(direct()[1]).toEqual(['dst_2']);
  });

  test('are none of a destination that is paced, and none when the queue has no room', async () => {
    await pool.query(`UPDATE destinations SET pace_ms = 1000, paced_until = 'infinity' WHERE id = 'dst_1'`);
    await record.record([change('a')], now);
    takesDirectly = false;
    await record.record([change('b')], now);
    expect(direct()).toEqual([['dst_2'], []]);
  });

  test('are none of a change that more accounts watch than are handed over at once', async () => {
    for (let n = 2; n <= 26; n += 1) await watching(pool, { accountId: `acc_${n}`, artistPlatformId: '27' });
    await record.record([change('a')], now);
    expect(direct()).toEqual([[]]);
  });
});
