import { createPostgresDeliveryRecord } from '@artist-watch/delivery/consume/postgres-delivery-record';
import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { paceLimits } from '@artist-watch/domain/delivery/retry-schedule';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { startReceiver } from '@artist-watch/harness/receiver';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { type Relay, startRelay } from '@artist-watch/harness/relay';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { startDeliveryStack } from './delivery-stack.js';

/** A way to the suite's PostgreSQL that does something as soon as a client has a statement executed. */
async function relayThatReacts(statement: string, react: (relay: Relay) => void) {
  const { databaseUrl } = await useSuite();
  const statements = recordStatements();
  const executed: string[] = [];
  let armed = true;
  const relay = await startRelay(databaseUrl, () => {
    const observer = statements.observe();
    return {
      ...observer,
      fromClient(bytes) {
        observer.fromClient(bytes);
        const latest = statements.take();
        executed.push(...latest);
        if (!armed || !latest.includes(statement)) return;
        armed = false;
        react(relay);
      },
    };
  });
  return { relay, executed };
}

async function pendingOf(pool: pg.Pool, destinationId: string) {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM deliveries WHERE destination_id = $1 ORDER BY id', [
    destinationId,
  ]);
  return rows.map(({ id }) => id);
}

test('a worker whose claim waited in its socket for too long does not send what somebody else has by then', async () => {
  const { relay, executed } = await relayThatReacts('claim', (it) => it.freeze());
  const [proxy, target] = await Promise.all([startScriptedProxy(), startReceiver()]);
  const stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
  const worker = await stack.startWorker({ DATABASE_URL: relay.url });
  try {
    const seeded = await stack.destination({ url: target.url });
    const { destinationId } = seeded;
    await stack.confirmChanges(seeded, 1);
    const claimedAt = await until('the claim to be in the record', async () => {
      const { rows } = await stack.pool.query<{ at: Date }>(
        'SELECT clock_timestamp() AS at FROM deliveries WHERE destination_id = $1 AND claimed_until IS NOT NULL',
        [destinationId],
      );
      return rows[0]?.at;
    });
    await until('it to be older than one that is sent on', async () => {
      const { rows } = await stack.pool.query(
        `SELECT 1 WHERE clock_timestamp() > $1::timestamptz + interval '5.5 seconds'`,
        [claimedAt],
      );
      return rows.length > 0;
    });
    // It runs out, and another worker has it.
    await stack.pool.query('UPDATE deliveries SET claimed_until = now() WHERE destination_id = $1', [destinationId]);
    const [other] = await claimDeliveries(stack.pool, await pendingOf(stack.pool, destinationId), 60_000);
    expect(other).toMatchObject({ kind: 'claimed' });
    relay.restore();
    await until('the worker to decide', () => executed.includes('release') || target.requests.length > 0);
    expect(target.requests).toEqual([]);
    await stack.pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
      destinationId,
    ]);
  } finally {
    relay.restore();
    await worker.stop();
    await Promise.all([proxy.close(), target.close()]);
    await relay.close();
  }
});

test('a claim that was given is not lost when the record goes away before it says why others were refused', async () => {
  const { pool } = await useSuite();
  const { relay } = await relayThatReacts('claim-refusals', (it) => it.cut());
  const through = new pg.Pool({ connectionString: relay.url, max: 2 });
  through.on('error', () => undefined);
  const record = createPostgresDeliveryRecord({
    pool: through,
    monotonic: { nowMs: () => performance.now() },
    leaseMs: 60_000,
    limits: { warnAt: [], switchOffAfter: 20, pace: paceLimits([]) },
    signal: new AbortController().signal,
    onTrouble: () => undefined,
  });
  try {
    const { artistId, destinationId } = await seedDestination(pool);
    const changeIds = await seedConfirmedChanges(pool, artistId, 2);
    await inTransaction(pool, (client) => fanOutChanges(client, changeIds, new Date()));
    const [given = '', refused = ''] = await pendingOf(pool, destinationId);
    await claimDeliveries(pool, [refused], 60_000);
    const [claim, refusal] = await Promise.allSettled([record.claim(given), record.claim(refused)]);
    expect(claim).toMatchObject({ status: 'fulfilled', value: { kind: 'claimed', deliveryId: given } });
    expect(refusal.status).toBe('rejected');
    relay.restore();
    expect(await record.claim(refused)).toMatchObject({ kind: 'taken' });
  } finally {
    await record.stop();
    await through.end();
    await relay.close();
  }
});
