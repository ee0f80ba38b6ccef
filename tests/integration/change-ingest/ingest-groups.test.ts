import { createPostgresReportedChanges } from '@artist-watch/change-ingest/adapters/postgres-reported-changes';
import { completeChange } from '@artist-watch/change-ingest/application/accept-reports';
import type { RecordedChanges } from '@artist-watch/contracts/ingest/changes';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { noTracing } from '@artist-watch/observability/tracing/tracing';
import { newId } from '@artist-watch/runtime/ids';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { destinationOf, openTestDatabase, watching } from './ingest-fixture.js';

const { databaseUrl, pool } = await useSuite();
const database = openTestDatabase(databaseUrl);
const now = new Date('2026-03-01T12:00:00.000Z');
const released: string[][] = [];
let nudges = 0;
const record = createPostgresReportedChanges({
  database,
  platform: 'deezer',
  tracing: noTracing,
  releaseLoops: {
    add: (deliveries) => void released.push(deliveries.map(({ deliveryId }) => deliveryId)),
    nudge: () => {
      nudges += 1;
    },
  },
});

beforeEach(async () => {
  released.length = 0;
  nudges = 0;
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
    before: undefined,
    after: undefined,
    values: null,
  };
  return completeChange(item, 'deezer', newId('chg', now), now);
};
const together = (...requests: ReturnType<typeof change>[][]) =>
  Promise.all(requests.map((changes) => record.record(changes, now)));
const counts = (answer: RecordedChanges) =>
  answer.kind === 'recorded' ? [answer.accepted.length, answer.duplicates] : answer.externalIds;
async function transactions(): Promise<string[][]> {
  const { rows } = await pool.query<{ ids: string[] }>(
    `SELECT array_agg(external_id ORDER BY external_id) AS ids FROM changes GROUP BY xmin::text ORDER BY 1`,
  );
  return rows.map(({ ids }) => ids);
}
/** The condition can refer to the rows as `added`. */
async function refuseInserts(condition: string, errorCode: string): Promise<void> {
  await pool.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT ${condition} FROM added) THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${errorCode}'; END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER refuse AFTER INSERT ON changes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
}

test('concurrent requests share a transaction, and each gets its own response', async () => {
  await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
  await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
  await record.record([change('old')], now);
  const requests = Array.from({ length: 32 }, (_, n) => [change(`e${n}`, { artist: String(20 + n) })]);
  const answers = await together(...requests, [change('old'), change('new')], [change('old')].slice(1));

  expect(answers.slice(0, 32)).toEqual(
    requests.map(([one]) => expect.objectContaining({ kind: 'recorded', accepted: [one], duplicates: 0 })),
  );
  expect(answers.slice(32).map(counts)).toEqual([
    [1, 1],
    [0, 0],
  ]);
  expect(await transactions()).toHaveLength(2);
  const { rows } = await pool.query('SELECT id FROM deliveries ORDER BY change_id');
  expect(rows).toHaveLength(3);
  // The destination's window allows two deliveries in flight.
  expect(released.map((ids) => ids.length)).toEqual([1, 1]);
  expect(nudges).toBe(0);
});

test('a request with a conflict is rejected, and the other requests in its group are accepted', async () => {
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
  // The artist of a rejected request may remain. Without watches, it is neither shown nor polled.
  const { rows: feeds } = await pool.query(
    "SELECT FROM watches w JOIN artists a ON a.id = w.artist_id WHERE a.platform_id = '99'",
  );
  expect(feeds).toEqual([]);
});

test('the same external_id in concurrent requests is stored once, and different content is a conflict', async () => {
  const answers = await together(
    [change('a'), change('b')],
    [change('b'), change('c')],
    [change('a', { entityName: 'Homework' }), change('d')],
    [change('e')],
  );
  expect(answers.map(counts)).toEqual([[2, 0], [1, 1], ['a'], [1, 0]]);
  expect(await transactions()).toEqual([['a', 'b', 'e'], ['c']]);
});

test('if the database rejects the changes of one request, only that request fails', async () => {
  await refuseInserts(`bool_or(external_id = 'bad')`, 'P0001');
  const answers = await Promise.allSettled(['a', 'bad', 'b'].map((id) => record.record([change(id)], now)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await transactions()).toEqual([['a'], ['b']]);
});

test('requests are stored one by one if their group takes too long', async () => {
  await refuseInserts('count(*) > 1', '57014');
  const answers = await together([change('a')], [change('b')], [change('c')]);
  expect(answers.map(counts)).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
  expect(await transactions()).toEqual([['a'], ['b'], ['c']]);
});

test('a request does not wait for an earlier request that another replica blocks', async () => {
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

test('many changes are written fifty at a time, and either all or none are stored', async () => {
  await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
  await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
  await refuseInserts('count(*) > 50', 'P0001');
  expect(counts(await record.record(many('a', 250), now))).toEqual([250, 0]);
  expect(await transactions()).toHaveLength(1);
  // The release loop is faster for this many deliveries, so it must be notified.
  expect([released, nudges]).toEqual([[[]], 1]);

  // The first part and the last one contain conflicts.
  await record.record([change('A')], now);
  const other = { entityName: 'Homework' };
  const withConflicts = [change('A', other), ...many('B', 200), change('a0249', other)];
  expect(counts(await record.record(withConflicts, now))).toEqual(['A', 'a0249']);
  expect((await pool.query('SELECT FROM changes')).rowCount).toBe(251);
  expect((await pool.query('SELECT FROM deliveries')).rowCount).toBe(251);
});

test('many changes are stored while another replica blocks a few others', async () => {
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

describe('the deliveries that a group releases', () => {
  const places = async () =>
    (
      await pool.query(
        `SELECT t.id, count(relay_at)::int AS waiting, count(*) FILTER (WHERE d.state = 'pending' AND relay_at IS NULL)::int AS released,
                t.in_flight
           FROM destinations t JOIN deliveries d ON d.destination_id = t.id GROUP BY t.id ORDER BY t.id`,
      )
    ).rows;
  const destinationsOf = async (ids: readonly string[] = []) =>
    (
      await pool.query<{ id: string }>(
        'SELECT destination_id AS id FROM deliveries WHERE id = ANY($1) ORDER BY destination_id',
        [ids],
      )
    ).rows.map(({ id }) => id);

  beforeEach(async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
    await destinationOf(pool, { id: 'dst_2', accountId: 'acc_1' });
    await destinationOf(pool, { id: 'dst_off', accountId: 'acc_1', off: true });
  });

  test('a group releases the first two deliveries of each idle destination, but none behind waiting deliveries', async () => {
    await together(...Array.from({ length: 6 }, (_, n) => [change(`e${n}`)]));
    expect(await destinationsOf(released[0])).toEqual(['dst_1', 'dst_1', 'dst_2', 'dst_2']);
    expect(await places()).toEqual([
      { id: 'dst_1', waiting: 4, released: 2, in_flight: 2 },
      { id: 'dst_2', waiting: 4, released: 2, in_flight: 2 },
      { id: 'dst_off', waiting: 0, released: 0, in_flight: 0 },
    ]);
    // Both are settled, and the four that wait for dst_1 have not been released yet.
    await pool.query('UPDATE destinations SET in_flight = 0');
    await pool.query(`UPDATE deliveries SET relay_at = NULL, state = 'succeeded', next_attempt_at = NULL, settled_at = now()
        WHERE destination_id = 'dst_2'`);
    await record.record([change('later')], now);
    expect(await destinationsOf(released[1])).toEqual(['dst_2']);
  });

  test('a group releases one delivery to a destination with one in flight, and none to a destination with two in flight', async () => {
    await pool.query(`UPDATE destinations SET in_flight = 1 WHERE id = 'dst_1'`);
    await pool.query(`UPDATE destinations SET in_flight = 2 WHERE id = 'dst_2'`);
    await record.record([change('a'), change('b')], now);
    expect(await destinationsOf(released[0])).toEqual(['dst_1']);
    expect(await places()).toMatchObject([{ in_flight: 2, waiting: 1 }, { in_flight: 2, waiting: 2 }, {}]);
  });

  test('a group releases no delivery to a failing destination, because the release loop does that after the pause', async () => {
    await pool.query(`UPDATE destinations SET pace_ms = 1000, paced_until = now() WHERE id = 'dst_1'`);
    await record.record([change('a')], now);
    expect(await destinationsOf(released[0])).toEqual(['dst_2']);
  });

  test('a group with more deliveries than one release allows releases none of them', async () => {
    for (let n = 3; n <= 100; n += 1) await destinationOf(pool, { id: `dst_${n}`, accountId: 'acc_1' });
    await together(...['a', 'b', 'c'].map((id) => [change(id)]));
    expect([released, nudges]).toEqual([[[]], 1]);
  });

  test('groups release at most two deliveries per destination, even if several replicas store groups concurrently', async () => {
    const others = Array.from({ length: 3 }, () => {
      const loops = {
        add: (due: readonly { deliveryId: string }[]) => void released.push(due.map((d) => d.deliveryId)),
      };
      return createPostgresReportedChanges({
        ...{ database, platform: 'deezer', tracing: noTracing, releaseLoops: { ...loops, nudge: () => undefined } },
      });
    });
    await Promise.all(Array.from({ length: 40 }, (_, n) => (others[n % 3] ?? record).record([change(`r${n}`)], now)));
    await Promise.all(others.map((other) => other.stop()));
    expect(await destinationsOf(released.flat())).toEqual(['dst_1', 'dst_1', 'dst_2', 'dst_2']);
    expect(await places()).toMatchObject([{ in_flight: 2, waiting: 38 }, { in_flight: 2, waiting: 38 }, {}]);
  });

  test('a group releases no delivery to a destination that is switched off at that moment, and stores it as skipped', async () => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = 'dst_1'`);
      const recorded = record.record([change('a')], now);
      await until('the group to wait for the destination', async () => {
        const { rows } = await pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      await client.query('COMMIT');
      expect(counts(await recorded)).toEqual([1, 0]);
    } finally {
      client.release();
    }
    expect(await destinationsOf(released[0])).toEqual(['dst_2']);
    const { rows } = await pool.query(`SELECT state FROM deliveries WHERE destination_id = 'dst_1'`);
    expect(rows).toEqual([{ state: 'skipped' }]);
  });
});

describe('an external_id that another transaction records at the same time', () => {
  /** The transaction stays open until `commit`. */
  async function recordElsewhere(externalId: string, digest: Uint8Array, artist: string) {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, external_id, external_digest, webhook_body)
       SELECT new_id('chg', now()), a.id, 'confirmed', 'release_removed', 'critical', 'release', '1', 'n', 's',
              now(), now(), $1, $2, '{}' FROM artists a WHERE a.platform_id = $3`,
      [externalId, Buffer.from(digest), artist],
    );
    return {
      async untilAwaited() {
        await until('the other transaction to wait', async () => {
          const { rows } = await pool.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows.length > 0;
        });
      },
      async commit() {
        await client.query('COMMIT');
        client.release();
      },
      async rollback() {
        await client.query('ROLLBACK');
        client.release();
      },
    };
  }

  beforeEach(async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
  });

  test.each([
    ['few', 3],
    ['many', 120],
  ])(
    'if another transaction is storing the same external_id and content, the change is a duplicate (%s)',
    async (_, count) => {
      const batch = many('x', count);
      const middle = batch[Math.floor(count / 2)];
      const elsewhere = await recordElsewhere(middle?.externalId ?? '', middle?.digest ?? new Uint8Array(), '27');
      const recorded = record.record(batch, now);
      await elsewhere.untilAwaited();
      await elsewhere.commit();
      expect(counts(await recorded)).toEqual([count - 1, 1]);
      const { rows } = await pool.query('SELECT count(*)::int AS changes FROM changes');
      expect(rows).toEqual([{ changes: count }]);
      expect((await pool.query('SELECT FROM deliveries')).rowCount).toBe(count - 1);
      expect(released.flat().length).toBeLessThanOrEqual(2);
    },
  );

  test.each([
    ['few', 3],
    ['many', 120],
  ])(
    'if another transaction is storing the same external_id with different content, the change is a conflict (%s)',
    async (_, count) => {
      const batch = many('y', count);
      const last = batch.at(-1)?.externalId ?? '';
      const elsewhere = await recordElsewhere(last, Buffer.from('other'), '27');
      const beside = [change('beside')];
      const recorded = Promise.all([record.record(batch, now), record.record(beside, now)]);
      await elsewhere.untilAwaited();
      await elsewhere.commit();
      const [answer, other] = await recorded;
      expect(answer).toEqual({ kind: 'conflict', externalIds: [last] });
      expect(counts(other)).toEqual([1, 0]);
      const { rows } = await pool.query('SELECT external_id AS id FROM changes ORDER BY external_id');
      expect(rows.map(({ id }) => id)).toEqual(['beside', last]);
      expect((await pool.query('SELECT FROM deliveries')).rowCount).toBe(1);
      expect((await pool.query('SELECT sum(in_flight)::int AS sum FROM destinations')).rows).toEqual([{ sum: 1 }]);
    },
  );

  test('if another transaction with the same external_id rolls back, the change is stored', async () => {
    const batch = many('z', 3);
    const elsewhere = await recordElsewhere(batch[1]?.externalId ?? '', Buffer.from('other'), '27');
    const recorded = record.record(batch, now);
    await elsewhere.untilAwaited();
    await elsewhere.rollback();
    expect(counts(await recorded)).toEqual([3, 0]);
  });
});
