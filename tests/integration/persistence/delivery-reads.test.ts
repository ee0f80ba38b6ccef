import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
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

test('a delivery that is settled while it is read is shown with all of its attempt or with nothing of it', async () => {
  const id = await givenDelivery();
  const worker = await pool.connect();
  try {
    await worker.query('BEGIN');
    // Whoever reads attempts waits for the end of this settlement; whoever reads deliveries does not.
    await worker.query('LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE');
    const shown = deliveryReads(database).show({ id });
    await until('the reader at the attempts', async () => {
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

test('attempts are shown first one first, as they were written', async () => {
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
