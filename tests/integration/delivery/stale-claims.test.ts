import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { startReceiver } from '@artist-watch/harness/receiver';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { type Relay, startRelay } from '@artist-watch/harness/relay';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDeliver, seedReleased } from './delivery-rows.js';
import { startDeliveryStack } from './delivery-stack.js';

/** `react` is called when a client executes the statement. */
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

test('a worker whose claim is confirmed too late does not send deliveries that another worker has claimed', async () => {
  const { relay, executed } = await relayThatReacts('claim', (it) => it.freeze());
  const [proxy, target] = await Promise.all([startScriptedProxy(), startReceiver()]);
  const stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
  const worker = await stack.startWorker({ DATABASE_URL: relay.url });
  try {
    const seeded = await stack.destination({ url: target.url });
    const { destinationId } = seeded;
    await stack.confirmChanges(seeded, 1);
    const claimedAt = await until('the claim to be in the database', async () => {
      const { rows } = await stack.pool.query<{ at: Date }>(
        'SELECT clock_timestamp() AS at FROM deliveries WHERE destination_id = $1 AND claimed_until IS NOT NULL',
        [destinationId],
      );
      return rows[0]?.at;
    });
    await until('the claim to be too old to send', async () => {
      const { rows } = await stack.pool.query(
        `SELECT 1 WHERE clock_timestamp() > $1::timestamptz + interval '5.5 seconds'`,
        [claimedAt],
      );
      return rows.length > 0;
    });
    // The claim expires, and another worker claims the delivery.
    await stack.pool.query('UPDATE deliveries SET claimed_until = now() WHERE destination_id = $1', [destinationId]);
    const ids = await pendingOf(stack.pool, destinationId);
    expect((await claimDeliveries(stack.pool, ids, 60_000)).size).toBe(1);
    relay.restore();
    await until(
      'the worker to decide about the delivery',
      () => executed.includes('give-back') || target.requests.length > 0,
    );
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

test('a granted claim is used even if the database goes down before it explains the refused ones', async () => {
  const { pool } = await useSuite();
  const { relay, executed } = await relayThatReacts('claim-refusals', (it) => it.cut());
  const through = new pg.Pool({ connectionString: relay.url, max: 2 });
  through.on('error', () => undefined);
  const sent: string[] = [];
  const { deliver, stop } = createTestDeliver(through, {
    async send({ headers }) {
      sent.push(headers['X-Service-Delivery'] ?? '');
      return { result: { kind: 'answered', status: 204 }, responseExcerpt: null, proxy: null };
    },
  });
  try {
    const { ids } = await seedReleased(pool, 2);
    const [given = '', refused = ''] = ids;
    await claimDeliveries(pool, [refused], 60_000);
    const delivered = Promise.allSettled([deliver([given]), deliver([refused])]);
    await until('the query for the reasons', () => executed.includes('claim-refusals'));
    relay.restore();
    expect((await delivered).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(sent).toEqual([given]);
    const { rows } = await pool.query('SELECT state FROM deliveries WHERE id = $1', [given]);
    expect(rows).toEqual([{ state: 'succeeded' }]);
  } finally {
    await stop();
    await through.end();
    await relay.close();
  }
});
