import { webhookPayloadSchema } from '@artist-watch/contracts/webhook-payload';
import { type DeliveryCommands, deliveryCommands, type Recovered } from '@artist-watch/delivery/store/commands';
import { type DeliveryReads, deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, ArtistId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanRequired } from '@artist-watch/domain/refusals';
import { accountStore } from '@artist-watch/persistence/account/store';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { idempotencyStore, Overtaken } from '@artist-watch/persistence/idempotency-store';
import { Gates } from '@artist-watch/runtime/gate';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  after,
  givenAccount,
  givenChange,
  givenDestination,
  givenWatch,
  openStores,
  type Stores,
  settle,
  start,
} from './given.js';

let stores: Stores;
let commands: DeliveryCommands;
let reads: DeliveryReads;
let accountId: AccountId;
let artistId: ArtistId;
let destinationId: DestinationId;

beforeAll(async () => {
  stores = await openStores();
  commands = deliveryCommands(stores.database);
  reads = deliveryReads(stores.database);
});
beforeEach(async () => {
  accountId = await givenAccount(stores.database);
  artistId = await givenWatch(stores.database, accountId);
  destinationId = await givenDestination(stores, accountId);
});

const minuteMs = 60_000;

/** Creates one delivery per minute, starting at `start`. */
async function givenDeliveries(...states: ('pending' | 'succeeded' | 'failed' | 'skipped')[]): Promise<DeliveryId[]> {
  const ids: DeliveryId[] = [];
  for (const [index, state] of states.entries()) {
    await givenChange(stores.database, artistId, { at: after(index * minuteMs) });
    const [delivery] = await reads.list({ accountId, limit: 1 });
    if (!delivery) throw new Error('The change made no delivery.');
    if (state !== 'pending') await settle(stores.database, delivery.id, state);
    ids.push(delivery.id);
  }
  return ids;
}

async function rowOf(id: DeliveryId) {
  const { rows } = await stores.database.pool.query('SELECT * FROM deliveries WHERE id = $1', [id]);
  return rows[0];
}

const sample = () => ({ deliveryId: newId('dlv', start), changeId: newId('chg', start), now: after(5_000) });

describe('test', () => {
  test('the test command creates a delivery at once, with a sample body', async () => {
    const test = sample();
    const delivery = await commands.test({ id: destinationId, accountId }, test);
    expect(delivery).toMatchObject({ id: test.deliveryId, state: 'pending', trigger: 'test', changeId: null });
    const row = await rowOf(test.deliveryId);
    expect(row).toMatchObject({ relay_at: after(5_000), next_attempt_at: after(5_000), attempt_count: 0 });
    const payload = webhookPayloadSchema.parse(JSON.parse(row.test_body));
    expect(payload).toMatchObject({ event: 'change.confirmed', change_id: test.changeId });
  });
});

describe('resend', () => {
  test.each(['succeeded', 'failed', 'skipped'] as const)(
    'the resend command sends a delivery with state %s again',
    async (state) => {
      const [id] = await givenDeliveries(state);
      const attemptsMade = state === 'skipped' ? 0 : 1;
      const delivery = await commands.resend({ id: id as DeliveryId, accountId }, after(minuteMs));
      expect(delivery).toMatchObject({ state: 'pending', trigger: 'resend', settledAt: null, skippedReason: null });
      expect(await rowOf(id as DeliveryId)).toMatchObject({
        round_start: attemptsMade,
        attempt_count: attemptsMade,
        next_attempt_at: after(minuteMs),
        relay_at: after(minuteMs),
      });
    },
  );

  test('the resend command rejects a pending delivery and accepts only one of several concurrent requests', async () => {
    const [id] = (await givenDeliveries('failed')) as [DeliveryId];
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => commands.resend({ id }, start)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(commands.resend({ id }, start)).rejects.toBeInstanceOf(Conflict);
  });

  test("the resend command reports another account's delivery as not found", async () => {
    const [id] = (await givenDeliveries('failed')) as [DeliveryId];
    const foreign = { id, accountId: await givenAccount(stores.database) };
    await expect(commands.resend(foreign, start)).rejects.toEqual(new NotFound('delivery'));
    await expect(reads.show(foreign)).rejects.toEqual(new NotFound('delivery'));
    await expect(commands.resend({ id: newId('dlv', start) }, start)).rejects.toEqual(new NotFound('delivery'));
  });
});

describe('recover', () => {
  test('the recover command sends deliveries that failed or were skipped since a time, and no others', async () => {
    const ids = await givenDeliveries('failed', 'skipped', 'failed', 'succeeded', 'pending', 'skipped');
    const test = sample();
    await commands.test({ id: destinationId }, test);
    await settle(stores.database, test.deliveryId, 'failed');
    const request = { since: after(minuteMs), now: after(60 * minuteMs) };
    expect((await commands.recover({ id: destinationId, accountId }, request)).recovered).toBe(3);
    const rows = await Promise.all(ids.map(rowOf));
    expect(rows.map((row) => `${row.state} ${row.trigger}`)).toEqual([
      'failed change',
      'pending recover',
      'pending recover',
      'succeeded change',
      'pending change',
      'pending recover',
    ]);
    expect(rows[2]).toMatchObject({
      round_start: 1,
      attempt_count: 1,
      relay_at: request.now,
      next_attempt_at: request.now,
      settled_at: null,
      skipped_reason: null,
    });
    expect(await rowOf(test.deliveryId)).toMatchObject({ state: 'failed', trigger: 'test' });
  });

  test('the recover command excludes deliveries at or after `until`, and its preview sends nothing', async () => {
    const ids = await givenDeliveries('failed', 'skipped', 'succeeded', 'failed', 'skipped');
    const range = { since: start, until: after(4 * minuteMs) };
    const expected = { count: 3, first: { id: ids[0], state: 'failed' }, last: { id: ids[3], state: 'failed' } };
    await destinationCommands(stores.database, stores.box).disable({ id: destinationId }, start);
    expect(await reads.previewRecovery({ id: destinationId, accountId }, range)).toMatchObject(expected);
    await destinationCommands(stores.database, stores.box).enable({ id: destinationId }, start);
    expect((await reads.previewRecovery({ id: destinationId }, { since: start })).count).toBe(4);
    expect((await commands.recover({ id: destinationId }, { ...range, now: start })).recovered).toBe(3);
    expect(await rowOf(ids[4] as DeliveryId)).toMatchObject({ state: 'skipped' });
    expect(await reads.previewRecovery({ id: destinationId }, range)).toMatchObject({
      count: 0,
      first: null,
      last: null,
    });
  });

  test("the preview of a recovery rejects another account's destination, or a deleted one", async () => {
    await givenDeliveries('failed');
    const notFound = new NotFound('destination');
    const foreign = { id: destinationId, accountId: await givenAccount(stores.database) };
    await expect(reads.previewRecovery(foreign, { since: start })).rejects.toEqual(notFound);
    await destinationCommands(stores.database, stores.box).delete({ id: destinationId }, start);
    await expect(reads.previewRecovery({ id: destinationId }, { since: start })).rejects.toEqual(notFound);
  });

  test('the recover command sends each delivery once, however many concurrent requests there are', async () => {
    const ids = await givenDeliveries('failed', 'skipped', 'skipped');
    const request = { since: start, now: after(10 * minuteMs) };
    const counts = await Promise.all(Array.from({ length: 5 }, () => commands.recover({ id: destinationId }, request)));
    expect(counts.reduce((sum, count) => sum + count.recovered, 0)).toBe(3);
    await settle(stores.database, ids[0] as DeliveryId, 'succeeded');
    expect((await commands.recover({ id: destinationId }, request)).recovered).toBe(0);
  });

  describe('in batches', () => {
    /**
     * Each batch has two deliveries. Each new connection waits for `before`, which gets the connection's number,
     * starting at 1.
     */
    function inTwos(before: (connection: number) => Promise<unknown>): DeliveryCommands {
      const { pool } = stores.database;
      let connections = 0;
      const connect = async () => {
        connections += 1;
        await before(connections);
        return pool.connect();
      };
      return deliveryCommands(
        {
          pool: Object.create(pool, { connect: { value: connect } }),
          perAccount: new Gates({ maxRunning: 1, maxWaiting: 1, maxWaitMs: 1_000 }),
        },
        { recoveryBatch: 2 },
      );
    }
    const states = async (ids: readonly DeliveryId[]) =>
      Promise.all(ids.map(async (id) => (await rowOf(id)).state as string));

    test('an interrupted recovery continues when its request is retried, and its result counts all deliveries', async () => {
      const ids = await givenDeliveries('failed', 'skipped', 'failed', 'skipped', 'failed');
      const idempotency = idempotencyStore(stores.database, stores.box);
      const keyed = { accountId, key: 'recover', requestDigest: Buffer.from('it'), now: start };
      const once = () => idempotency.once(keyed, ({ recovered }: Recovered) => ({ status: 202, body: `${recovered}` }));
      const request = { since: start, now: after(10 * minuteMs) };
      const stopped = inTwos(async (connection) => {
        if (connection === 3) throw new Error('stopped');
      });
      await expect(stopped.recover({ id: destinationId }, request, once())).rejects.toThrow('stopped');
      expect(await states(ids)).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);

      // A delivery that failed again was already sent once.
      await settle(stores.database, ids[0] as DeliveryId, 'failed');
      expect((await commands.recover({ id: destinationId }, request, once())).recovered).toBe(5);
      expect(await idempotency.find(keyed)).toMatchObject({ kind: 'answered', body: '5' });
      expect(await states(ids)).toEqual(['failed', 'pending', 'pending', 'pending', 'pending']);

      await settle(stores.database, ids[4] as DeliveryId, 'failed');
      await expect(commands.recover({ id: destinationId }, request, once())).rejects.toBeInstanceOf(Overtaken);
      expect(await states(ids)).toEqual(['failed', 'pending', 'pending', 'pending', 'failed']);
    });

    test('if a destination is switched off during a recovery, the result counts what was queued before', async () => {
      const ids = await givenDeliveries('failed', 'skipped', 'failed', 'skipped');
      const interrupted = inTwos(async (connection) => {
        if (connection === 2)
          await destinationCommands(stores.database, stores.box).disable({ id: destinationId }, start);
      });
      expect((await interrupted.recover({ id: destinationId }, { since: start, now: after(1) })).recovered).toBe(2);
      expect(await states(ids)).toEqual(['skipped', 'skipped', 'failed', 'skipped']);
    });
  });

  test('a filtered recovery omits switched-off destinations, other deliveries, and other accounts', async () => {
    const [first, second, third] = (await givenDeliveries('failed', 'failed', 'skipped')) as [
      DeliveryId,
      DeliveryId,
      DeliveryId,
    ];
    const off = await givenDestination(stores, accountId);
    await givenChange(stores.database, artistId, { at: after(5 * minuteMs) });
    await destinationCommands(stores.database, stores.box).disable({ id: off }, start);
    await stores.database.pool.query("UPDATE deliveries SET last_failure = 'timed_out' WHERE id = $1", [second]);
    const foreign = await givenAccount(stores.database);
    const now = after(60 * minuteMs);
    const recover = (filter: DeliveryFilter, account = accountId) =>
      commands.recoverMatching(account, { filter, now }).then(({ recovered }) => recovered);
    const states = async () => Promise.all([first, second, third].map(async (id) => (await rowOf(id)).state));

    expect(await reads.previewMatchingRecovery(accountId, {})).toMatchObject({
      count: 3,
      first: { id: first },
      last: { id: third },
      leftOut: 1,
    });
    expect(await recover({}, foreign)).toBe(0);
    expect(await recover({ error: 'timed_out' })).toBe(1);
    expect(await states()).toEqual(['failed', 'pending', 'skipped']);
    await expect(recover({ destinationId: off })).rejects.toBeInstanceOf(Conflict);
    await expect(recover({ destinationId }, foreign)).rejects.toEqual(new NotFound('destination'));
    expect(await recover({ state: 'skipped', destinationId })).toBe(1);
    expect(await recover({})).toBe(1);
    expect(await recover({})).toBe(0);
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    const { rows } = await stores.database.pool.query('SELECT state FROM deliveries WHERE destination_id = $1', [off]);
    expect(rows).toEqual([{ state: 'skipped' }]);
  });

  test('the recover command sends at most 10,000 deliveries per call, and the next call continues after the last one', async () => {
    await stores.database.pool.query(
      `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', $1::timestamptz), $2, 'confirmed', 'label_changed', 'warning', 'release', '1', 'x', 'x', $1, $1, '{}'
         FROM generate_series(1, 12000)`,
      [start, artistId],
    );
    await stores.database.pool.query(
      `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, created_at, settled_at)
       SELECT new_id('dlv', $1::timestamptz), $2, $3, id, 'skipped', $1, $1 FROM changes WHERE artist_id = $4`,
      [start, accountId, destinationId, artistId],
    );
    const request = { since: start, now: after(1) };
    const first = await commands.recover({ id: destinationId }, request);
    expect(first).toEqual({ recovered: 10_000, remaining: 2_000, next: expect.stringMatching(/^dlv_/) });
    // A delivery that failed again was already sent once.
    await stores.database.pool.query(
      `UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, relay_at = NULL, settled_at = now()
        WHERE id = (SELECT min(id) FROM deliveries WHERE destination_id = $1)`,
      [destinationId],
    );
    const rest = await commands.recover({ id: destinationId }, { ...request, after: first.next ?? undefined });
    expect(rest).toEqual({ recovered: 2_000, remaining: 0, next: null });
  });
});

describe('nothing is sent', () => {
  const everything: [string, (deliveryId: DeliveryId) => Promise<unknown>][] = [
    ['test', () => commands.test({ id: destinationId, accountId }, sample())],
    ['resend', (id) => commands.resend({ id, accountId }, start)],
    ['recover', () => commands.recover({ id: destinationId, accountId }, { since: start, now: start })],
  ];

  test.each(everything.filter(([name]) => name !== 'test'))(
    'the %s command sends nothing while the destination is off',
    async (_name, command) => {
      const [id] = (await givenDeliveries('failed')) as [DeliveryId];
      await destinationCommands(stores.database, stores.box).disable({ id: destinationId }, start);
      await expect(command(id)).rejects.toEqual(new Conflict('This destination is switched off. Enable it first.'));
      expect(await rowOf(id)).toMatchObject({ state: 'failed' });
    },
  );

  test('only a test can be sent while the destination is off', async () => {
    await destinationCommands(stores.database, stores.box).disable({ id: destinationId }, start);
    expect(await commands.test({ id: destinationId, accountId }, sample())).toMatchObject({ state: 'pending' });
  });

  test.each(everything)('the %s command sends nothing once the destination is deleted', async (_name, command) => {
    const [id] = (await givenDeliveries('failed')) as [DeliveryId];
    await destinationCommands(stores.database, stores.box).delete({ id: destinationId }, start);
    await expect(command(id)).rejects.toEqual(new NotFound('destination'));
  });

  test.each(everything)('the %s command sends nothing once the plan has no destinations', async (_name, command) => {
    const [id] = (await givenDeliveries('failed')) as [DeliveryId];
    await accountStore(stores.database).setPlan({ id: accountId, plan: 'pro', now: start });
    await expect(command(id)).rejects.toEqual(new PlanRequired('Destinations'));
  });

  test('a recovery that races with a switch-off is rejected, or all of it is skipped again', async () => {
    const ids = await givenDeliveries('failed', 'skipped', 'skipped');
    await Promise.allSettled([
      commands.recover({ id: destinationId }, { since: start, now: start }),
      destinationCommands(stores.database, stores.box).disable({ id: destinationId }, start),
    ]);
    const states = await Promise.all(ids.map(async (id) => (await rowOf(id)).state));
    expect(states).not.toContain('pending');
  });
});

describe('reading', () => {
  test('deliveries are listed newest first, with any filter, in pages without gaps', async () => {
    const ids = (await givenDeliveries('failed', 'skipped', 'succeeded', 'pending', 'failed')).reverse();
    const list = (filter: object) => reads.list({ accountId, limit: 10, ...filter });
    expect((await list({})).map(({ id }) => id)).toEqual(ids);
    expect((await list({ state: 'failed' })).map(({ id }) => id)).toEqual([ids[0], ids[4]]);
    expect((await list({ beforeId: ids[1], limit: 2 })).map(({ id }) => id)).toEqual([ids[2], ids[3]]);
    const [newest] = await list({});
    expect((await list({ changeId: newest?.changeId })).map(({ id }) => id)).toEqual([ids[0]]);
    expect(await list({ destinationId: newId('dst', start) })).toEqual([]);
    expect(await reads.list({ accountId: await givenAccount(stores.database), destinationId, limit: 10 })).toEqual([]);
  });

  test('a delivery is shown with its attempts in order', async () => {
    const [id] = (await givenDeliveries('failed')) as [DeliveryId];
    for (const number of [2, 1]) {
      await stores.database.pool.query(
        `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                               started_at, ended_at)
         VALUES ($1, $2, $3, 'failed', 'receiver', 500, 'status', 'It answered 500.', 'oops', $4, $5)`,
        [newId('att', start), id, number, start, after(20)],
      );
    }
    const { attempts, change, request, ...delivery } = await reads.show({ id, accountId });
    expect(delivery).toMatchObject((await reads.list({ accountId, limit: 1 }))[0] as object);
    expect(change).toMatchObject({ type: 'release_removed', summary: 'It is gone.', artistId });
    expect(request).toMatchObject({ url: 'https://receiver.example/webhooks', body: '{}' });
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
    expect(attempts[0]).toEqual({
      id: expect.stringMatching(/^att_/),
      number: 1,
      outcome: 'failed',
      blame: 'receiver',
      statusCode: 500,
      error: 'status',
      reason: 'It answered 500.',
      responseExcerpt: 'oops',
      startedAt: start,
      endedAt: after(20),
    });
  });
});
