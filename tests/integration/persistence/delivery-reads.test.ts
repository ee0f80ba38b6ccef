import { deliveryReads } from '@artist-watch/delivery/store/reads';
import { selectPage } from '@artist-watch/delivery/store/record';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, DeliveryId } from '@artist-watch/domain/ids';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { readDestinations } from '@artist-watch/persistence/destination/reads';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { openStores } from './given.js';

const { pool } = await useSuite();
const { database } = await openStores();

async function givenDelivery(): Promise<DeliveryId> {
  const { accountId, artistId, destinationId } = await seedDestination(pool);
  const [changeId] = await seedConfirmedChanges(pool, artistId, 1);
  const { rows } = await pool.query<{ id: DeliveryId }>(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, trigger, next_attempt_at, relay_at, created_at)
     VALUES (new_id('dlv', now()), $1, $2, $3, 'pending', 'change', now(), now(), now()) RETURNING id`,
    [accountId, destinationId, changeId],
  );
  return (rows[0] as { id: DeliveryId }).id;
}

test('a delivery that is settled during a read is shown either with its complete last attempt or without it', async () => {
  const id = await givenDelivery();
  const worker = await pool.connect();
  try {
    await worker.query('BEGIN');
    // Reads of attempts wait for this settlement; reads of deliveries do not.
    await worker.query('LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE');
    const shown = deliveryReads(database).show({ id });
    await until('the reader to wait for the attempts', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_locks WHERE relation = 'attempts'::regclass AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows.length > 0;
    });
    await worker.query(
      `UPDATE deliveries SET state = 'succeeded', attempt_count = 1, next_attempt_at = NULL, relay_at = NULL,
              settled_at = now() WHERE id = $1`,
      [id],
    );
    await worker.query(
      `INSERT INTO attempts (id, delivery_id, number, outcome, status_code, started_at, ended_at)
       VALUES (new_id('att', now()), $1, 1, 'succeeded', 204, '2026-05-01T12:00:00.100Z', '2026-05-01T12:00:00.207Z')`,
      [id],
    );
    await worker.query('COMMIT');
    const { state, attemptCount, attempts } = await shown;
    expect({ state, attempts: attempts.length }).toEqual({
      state: attemptCount === 0 ? 'pending' : 'succeeded',
      attempts: attemptCount,
    });
  } finally {
    worker.release();
  }
});

test('attempts are listed in the order in which they were made', async () => {
  const id = await givenDelivery();
  await pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                           started_at, ended_at)
     SELECT 'att_' || n || $1, $1, n, 'failed', 'receiver', CASE WHEN n > 1 THEN 500 END, 'status', 'It "said" 500.',
            E'<oops>\\n\\u00fc', '2026-05-01T12:00:00.100Z', '2026-05-01T12:00:00.207Z'
       FROM generate_series(11, 1, -1) AS n`,
    [id],
  );
  const { attempts } = await deliveryReads(database).show({ id });
  expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 11 }, (_, n) => n + 1));
  expect(attempts[0]).toEqual({
    id: `att_1${id}`,
    number: 1,
    outcome: 'failed',
    blame: 'receiver',
    statusCode: null,
    error: 'status',
    reason: 'It "said" 500.',
    responseExcerpt: '<oops>\nü',
    startedAt: new Date('2026-05-01T12:00:00.100Z'),
    endedAt: new Date('2026-05-01T12:00:00.207Z'),
  });
});

describe('a list of a busy account', () => {
  const QUIET = 20_000;
  const now = new Date();
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  let accountId: AccountId;
  let ids: Record<string, DeliveryId>;

  /** Many deliveries succeeded at the same time, and a few failures are between them. */
  beforeAll(async () => {
    const seeded = await seedDestination(pool);
    accountId = seeded.accountId;
    const fill = (count: number, minutes: number) =>
      pool.query(
        `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, attempt_count, created_at, settled_at)
         SELECT new_id('dlv', $4), $1, $2, new_id('chg', $4), 'succeeded', 1, $4, $4 FROM generate_series(1, $3)`,
        [accountId, seeded.destinationId, count, minutesAgo(minutes)],
      );
    const one = async (state: string, trigger: string, failure: string | null, minutes: number) => {
      const { rows } = await pool.query<{ id: DeliveryId }>(
        `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, trigger, attempt_count, last_failure,
                                 created_at, settled_at)
         VALUES (new_id('dlv', $6), $1, $2, new_id('chg', $6), $3, $4, 1, $5, $6, $6) RETURNING id`,
        [accountId, seeded.destinationId, state, trigger, failure, minutesAgo(minutes)],
      );
      return (rows[0] as { id: DeliveryId }).id;
    };
    await fill(QUIET / 2, 60);
    ids = {
      late: await one('failed', 'change', 'timed_out', 50),
      moved: await one('failed', 'change', 'redirected:3xx', 45),
      broken: await one('succeeded', 'recover', 'unexpected_status:5xx', 40),
      gone: await one('failed', 'resend', 'unexpected_status:4xx', 30),
      forbidden: await one('failed', 'recover', 'forbidden_address', 20),
      skipped: await one('skipped', 'change', null, 10),
    };
    await fill(QUIET / 2, 5);
    await pool.query('ANALYZE deliveries');
  });

  const cases: [name: string, filter: DeliveryFilter, found: string[]][] = [
    ['error', { error: 'timed_out' }, ['late']],
    ['an error with any status', { error: 'unexpected_status' }, ['gone', 'broken']],
    ['an error that never occurred', { error: 'tls_failed' }, []],
    ['a status class', { statusClass: '5xx' }, ['broken']],
    ['no status', { statusClass: 'none' }, ['forbidden', 'late']],
    ['blame', { blame: 'policy' }, ['forbidden']],
    ['the other blame', { blame: 'receiver' }, ['gone', 'broken', 'moved', 'late']],
    ['trigger', { trigger: 'recover' }, ['forbidden', 'broken']],
    ['a trigger that never occurred', { trigger: 'test' }, []],
    ['a state and a period', { state: 'failed', since: minutesAgo(45), until: minutesAgo(20) }, ['gone', 'moved']],
    [
      'all filters together',
      { blame: 'receiver', state: 'failed', trigger: 'change', until: minutesAgo(49) },
      ['late'],
    ],
  ];

  test.each(cases)(
    'a list of deliveries by %s reads only matching rows, not the succeeded ones',
    async (_name, filter, found) => {
      const reads = deliveryReads(database);
      const listed = await reads.list({ accountId, ...filter, limit: 10 });
      expect(listed.map(({ id }) => id)).toEqual(found.map((name) => ids[name]));
      const statement = selectPage({ accountId, filter, columns: 'd.id', order: 'newest first', limit: 10 });
      expect(await rowsTouched(pool, statement)).toBeLessThan(100);
      const [first, ...rest] = found;
      const page = await reads.list({
        accountId,
        ...filter,
        beforeId: first === undefined ? undefined : ids[first],
        limit: 1,
      });
      expect(page.map(({ id }) => id)).toEqual(rest.slice(0, 1).map((name) => ids[name]));
    },
  );

  test('a recovery reads only missed deliveries, not the succeeded ones', async () => {
    const statement = selectPage({
      accountId,
      filter: {},
      missed: true,
      columns: 'd.id',
      order: 'oldest first',
      limit: 9,
    });
    expect(await rowsTouched(pool, statement)).toBeLessThan(100);
    expect((await pool.query(statement)).rows.map(({ id }) => id)).toEqual(
      ['late', 'moved', 'gone', 'forbidden', 'skipped'].map((name) => ids[name]),
    );
    expect(await deliveryReads(database).previewMatchingRecovery(accountId, { blame: 'receiver' })).toMatchObject({
      count: 3,
      first: { id: ids.late },
      last: { id: ids.gone },
      leftOut: 0,
    });
  });
});

test('large reads run one at a time per account, and simple pages do not wait for them', async () => {
  const { accountId, destinationId } = await seedDestination(pool);
  const reads = deliveryReads(database);
  let passOn = () => {};
  const held = database.perAccount.run(accountId, () => new Promise<void>((resolve) => (passOn = resolve)));
  const done: string[] = [];
  const asked = Object.entries({
    list: reads.list({ accountId, state: 'failed', limit: 9 }),
    previewRecovery: reads.previewRecovery({ id: destinationId, accountId }, {}),
    previewMatchingRecovery: reads.previewMatchingRecovery(accountId, {}),
    readDestinations: readDestinations(database, accountId),
  }).map(([name, read]) => read.then(() => done.push(name)));
  for (let page = 0; page < 5; page += 1) expect(await reads.list({ accountId, limit: 9 })).toEqual([]);
  expect(done).toEqual([]);
  passOn();
  await Promise.all([held, ...asked]);
  expect(done.sort()).toEqual(['list', 'previewMatchingRecovery', 'previewRecovery', 'readDestinations']);
});

/** Includes discarded rows. */
async function rowsTouched(pool: pg.Pool, { text, values }: { text: string; values: unknown[] }): Promise<number> {
  interface Node {
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Node[];
  }
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const touched = (node: Node): number =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
    (node.Plans ?? []).reduce((sum, part) => sum + touched(part), 0);
  return touched(rows[0]['QUERY PLAN'][0].Plan);
}
