import { createHash } from 'node:crypto';
import type { AccountId } from '@artist-watch/domain/ids';
import { until } from '@artist-watch/harness/until';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { destinationSwitch } from '@artist-watch/persistence/destination/switch';
import {
  doneOnce,
  type IdempotencyStore,
  idempotencyStore,
  Superseded,
} from '@artist-watch/persistence/idempotency-store';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { after, givenAccount, givenDestination, openStores, type Stores, start } from './given.js';

let stores: Stores;
let idempotency: IdempotencyStore;
let accountId: AccountId;
beforeAll(async () => {
  stores = await openStores();
  idempotency = idempotencyStore(stores.database, stores.box);
});
beforeEach(async () => {
  accountId = await givenAccount(stores.database);
});

const hourMs = 3_600_000;
const digestOf = (text: string) => createHash('sha256').update(text).digest();
const request = (body: string, now = start) => ({ accountId, key: 'k-1', requestDigest: digestOf(body), now });
const answer = { status: 201, body: '{"secret":"whsec_shown_once"}' };

/** The idempotency record of a request that may begin; the test fails if it may not. */
async function recordAt(now: Date) {
  const beginning = await idempotency.begin(request('a', now));
  if (beginning.kind !== 'begun') throw new Error(`The request is ${beginning.kind}.`);
  return { accountId, key: 'k-1', begunAt: now, progress: beginning.progress };
}

test('a repeat gets the answer of the first for 24 hours, and then starts afresh', async () => {
  expect(await idempotency.begin(request('a'))).toEqual({ kind: 'begun', since: start, progress: null });
  await idempotency.finish(request('a'), answer);
  expect(await idempotency.begin(request('a', after(24 * hourMs - 1)))).toEqual({ kind: 'answered', ...answer });
  const afresh = after(24 * hourMs);
  expect(await idempotency.begin(request('b', afresh))).toEqual({ kind: 'begun', since: afresh, progress: null });
});

test('the same key with another request is a conflict, answered or not', async () => {
  await idempotency.begin(request('a'));
  expect(await idempotency.begin(request('b'))).toEqual({ kind: 'conflict' });
  await idempotency.finish(request('a'), answer);
  expect(await idempotency.begin(request('b'))).toEqual({ kind: 'conflict' });
});

test('of many equal requests at once one begins', async () => {
  const beginnings = await Promise.all(Array.from({ length: 12 }, () => idempotency.begin(request('a'))));
  expect(beginnings.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
  expect(beginnings.filter(({ kind }) => kind === 'running')).toHaveLength(11);
});

test('what could not be answered may be tried again at once, as the request that it was and as no other', async () => {
  await idempotency.begin(request('a'));
  await idempotency.forget(request('a'));
  expect(await idempotency.begin(request('b', after(1)))).toEqual({ kind: 'conflict' });
  expect(await idempotency.begin(request('a', after(1)))).toMatchObject({ kind: 'begun', since: start });
});

test('a request that died is taken over by its repeat after 15 seconds, once, and cannot answer any more', async () => {
  await idempotency.begin(request('a'));
  expect(await idempotency.begin(request('a', after(14_999)))).toEqual({ kind: 'running' });
  const repeats = await Promise.all([1, 2, 3].map(() => idempotency.begin(request('a', after(15_000)))));
  expect(repeats.filter(({ kind }) => kind === 'begun')).toMatchObject([{ since: start }]);
  expect(await idempotency.finish(request('a'), { status: 500, body: 'from the dead' })).toBe(false);
  expect(await idempotency.finish(request('a', after(15_000)), answer)).toBe(true);
  expect(await idempotency.begin(request('a', after(16_000)))).toEqual({ kind: 'answered', ...answer });
});

test('what a request has done is told to its repeats, and to nobody who uses the key a day later', async () => {
  const reference = { id: await givenDestination(stores, accountId) };
  const switches = destinationSwitch(stores.database);
  await switches.disable(reference, start, await recordAt(start));
  await switches.enable(reference, after(1));
  const repeat = await recordAt(after(15_000));
  expect(repeat.progress).not.toBeNull();
  expect(await switches.disable(reference, after(15_000), repeat)).toHaveProperty('state', 'active');
  expect((await recordAt(after(24 * hourMs))).progress).toBeNull();
});

test('a request that was taken over while its process was frozen does nothing any more', async () => {
  const reference = { id: await givenDestination(stores, accountId) };
  const switches = destinationSwitch(stores.database);
  const frozen = await recordAt(start);
  const repeat = await recordAt(after(15_000));
  await expect(switches.disable(reference, start, frozen)).rejects.toBeInstanceOf(Superseded);
  expect(await switches.enable(reference, start)).toMatchObject({ state: 'active', notices: [] });

  await switches.disable(reference, after(15_000), repeat);
  await idempotency.finish(request('a', after(15_000)), answer);
  await switches.enable(reference, after(16_000));
  await expect(switches.disable(reference, start, frozen)).rejects.toBeInstanceOf(Superseded);
  expect(await switches.enable(reference, after(17_000))).toHaveProperty('state', 'active');
});

test('what a request does is marked whatever time zone the server is set to', async () => {
  const { rows } = await stores.database.pool.query<{ name: string }>('SELECT current_database() AS name');
  await stores.database.pool.query(`ALTER DATABASE "${rows[0]?.name}" SET timezone TO 'Pacific/Auckland'`);
  const elsewhere = await openStores();
  const reference = { id: await givenDestination(stores, accountId) };
  const idempotencyRecord = await recordAt(start);
  expect(await destinationSwitch(elsewhere.database).disable(reference, start, idempotencyRecord)).toMatchObject({
    state: 'off',
    switchedOffAt: start,
  });
});

test('a repeat that takes over while the work is being committed waits, and learns that it is done', async () => {
  const idempotencyRecord = await recordAt(start);
  const { taking } = await inTransaction(stores.database.pool, async (client) => {
    await doneOnce(client, idempotencyRecord, async () => undefined);
    const taking = recordAt(after(15_000));
    await until('the repeat to wait', async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount !== 0;
    });
    return { taking };
  });
  expect((await taking).progress).not.toBeNull();
});

test('the key of a request that a service of the version before began is not free meanwhile', async () => {
  const now = new Date();
  await stores.database.pool.query(
    'INSERT INTO idempotency_keys (account_id, key, request_digest, created_at) VALUES ($1, $2, $3, $4)',
    [accountId, 'k-1', digestOf('a'), now],
  );
  expect(await idempotency.begin(request('a', now))).toEqual({ kind: 'running' });
});

test('an answer that shows a secret is not kept in the clear', async () => {
  await idempotency.begin(request('a'));
  await idempotency.finish(request('a'), answer);
  const { rows } = await stores.database.pool.query<{ body: string }>(
    'SELECT body FROM idempotency_keys WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toHaveLength(1);
  const kept = rows[0]?.body ?? '';
  expect(kept).not.toContain('whsec_');
  expect(Buffer.from(kept, 'base64').toString('latin1')).not.toContain('whsec_');
});

test('accounts may use the same key', async () => {
  await idempotency.begin(request('a'));
  const other = { ...request('b'), accountId: await givenAccount(stores.database) };
  expect(await idempotency.begin(other)).toHaveProperty('kind', 'begun');
});
