import { createHash, randomBytes } from 'node:crypto';
import type { AccountId } from '@artist-watch/domain/ids';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import type { DestinationRecord } from '@artist-watch/persistence/destination/reads';
import {
  type IdempotencyStore,
  idempotencyStore,
  Overtaken,
  StoredResponsesFull,
} from '@artist-watch/persistence/idempotency-store';
import { SealError } from '@artist-watch/persistence/secret-box';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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
const open = { kind: 'open', progress: null };
const once = (body: string, now = start) =>
  idempotency.once(request(body, now), ({ state }: DestinationRecord) => ({ status: 200, body: state }));

test('a repeated request gets the first response for 24 hours, and then runs again', async () => {
  expect(await idempotency.find(request('a'))).toEqual(open);
  expect(await idempotency.keep(request('a'), answer)).toBe(true);
  expect(await idempotency.find(request('a', after(24 * hourMs - 1)))).toEqual({ kind: 'answered', ...answer });
  const afresh = request('b', after(24 * hourMs));
  expect(await idempotency.find(afresh)).toEqual(open);
  expect(await idempotency.keep(afresh, { status: 200, body: '' }, { progress: null })).toBe(true);
  expect(await idempotency.find(afresh)).toEqual({ kind: 'answered', status: 200, body: '' });
});

test('the same key with a different request is a conflict, and the stored response stays', async () => {
  await idempotency.keep(request('a'), answer);
  expect(await idempotency.find(request('b'))).toEqual({ kind: 'conflict' });
  expect(await idempotency.keep(request('b'), { status: 200, body: '' })).toBe(false);
  expect(await idempotency.find(request('a'))).toEqual({ kind: 'answered', ...answer });
});

test('only one of many concurrent responses is stored', async () => {
  const kept = await Promise.all(
    Array.from({ length: 12 }, (_, n) => idempotency.keep(request('a'), { status: 400, body: `${n}` }, open)),
  );
  expect(kept.filter((isKept) => isKept)).toHaveLength(1);
  expect(await idempotency.find(request('a'))).toMatchObject({ body: `${kept.indexOf(true)}` });
});

test("a request's effect and response commit together, in any time zone of the server", async () => {
  const { rows } = await stores.database.pool.query<{ name: string }>('SELECT current_database() AS name');
  await stores.database.pool.query(`ALTER DATABASE "${rows[0]?.name}" SET timezone TO 'Pacific/Auckland'`);
  const elsewhere = await openStores();
  const reference = { id: await givenDestination(stores, accountId) };
  expect(await destinationCommands(elsewhere.database, stores.box).disable(reference, start, once('a'))).toMatchObject({
    state: 'off',
    switchedOffAt: start,
  });
  expect(await idempotency.find(request('a'))).toEqual({ kind: 'answered', status: 200, body: 'off' });
  expect(await idempotency.find(request('a', after(24 * hourMs)))).toEqual(open);
});

test('a request that finds a newer response under its key has no effect', async () => {
  const reference = { id: await givenDestination(stores, accountId) };
  const switches = destinationCommands(stores.database, stores.box);
  await switches.disable(reference, start, once('a'));
  await switches.enable(reference, after(1));
  await expect(switches.disable(reference, after(2), once('a', after(2)))).rejects.toBeInstanceOf(Overtaken);
  await expect(switches.disable(reference, after(2), once('b', after(2)))).rejects.toBeInstanceOf(Overtaken);
  expect(await switches.enable(reference, after(3))).toHaveProperty('state', 'active');
});

test('of two concurrent requests with the same key, the later one is rolled back', async () => {
  const [first, second] = [once('a'), once('a')];
  const { pool } = stores.database;
  const off = { state: 'off' } as DestinationRecord;
  const overtaken = inTransaction(pool, async (client) => {
    expect(await second.begin(client)).toBeNull();
    await inTransaction(pool, async (other) => {
      expect(await first.begin(other)).toBeNull();
      await first.recordProgress(other, { afterId: 'x' });
    });
    await second.keep(client, off);
  });
  await expect(overtaken).rejects.toBeInstanceOf(Overtaken);
  const third = once('a');
  await inTransaction(pool, async (client) => {
    expect(await third.begin(client)).toEqual({ afterId: 'x' });
    await third.keep(client, off);
  });
  expect(await idempotency.find(request('a'))).toMatchObject({ kind: 'answered', body: 'off' });
});

test('a request that the previous version started is rolled back once this version has responded', async () => {
  const { pool } = stores.database;
  const key = [accountId, 'k-1', digestOf('a'), start];
  await pool.query(
    'INSERT INTO idempotency_keys (account_id, key, request_digest, created_at, begun_at) VALUES ($1, $2, $3, $4, $4)',
    key,
  );
  await destinationCommands(stores.database, stores.box).disable(
    { id: await givenDestination(stores, accountId) },
    after(1),
    once('a', after(1)),
  );
  const update = `UPDATE idempotency_keys SET progress = '{}'
                 WHERE account_id = $1 AND key = $2 AND request_digest = $3 AND begun_at = $4 AND status IS NULL`;
  expect((await pool.query(update, key)).rowCount).toBe(0);
});

test('a response with a secret is not stored in plain text', async () => {
  await idempotency.keep(request('a'), answer);
  const { rows } = await stores.database.pool.query<{ body: string }>(
    'SELECT body FROM idempotency_keys WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toHaveLength(1);
  const kept = rows[0]?.body ?? '';
  expect(kept).not.toContain('whsec_');
  expect(Buffer.from(kept, 'base64').toString('latin1')).not.toContain('whsec_');
});

test('two accounts may use the same idempotency key', async () => {
  await idempotency.keep(request('a'), answer);
  const other = { ...request('b'), accountId: await givenAccount(stores.database) };
  expect(await idempotency.find(other)).toEqual(open);
});

describe('a long response', () => {
  const body = JSON.stringify({
    data: Array.from({ length: 500 }, (_, line) => ({ line, problem: 'No such artist.' })),
  });
  const kept = async () =>
    (await stores.database.pool.query('SELECT body FROM idempotency_keys WHERE account_id = $1', [accountId])).rows[0]
      .body;

  test('a stored long response is compressed to a fifth of its size or less, and is returned unchanged', async () => {
    await idempotency.keep(request('a'), { status: 200, body });
    expect((await kept()).length).toBeLessThan(body.length / 5);
    expect(await idempotency.find(request('a'))).toEqual({ kind: 'answered', status: 200, body });
  });

  test('the previous version rejects a compressed response, and its own responses can still be read', async () => {
    await idempotency.keep(request('a'), { status: 200, body });
    const context = `idempotency:${accountId}:k-1`;
    const before = Buffer.from(stores.box.seal(body, context)).toString('base64');
    const here = Buffer.from(await kept(), 'base64');
    expect(() => stores.box.open(here, context)).toThrow(SealError);
    await stores.database.pool.query('UPDATE idempotency_keys SET body = $2 WHERE account_id = $1', [
      accountId,
      before,
    ]);
    expect(await idempotency.find(request('a'))).toEqual({ kind: 'answered', status: 200, body });
  });
});

test('an account that has stored 64 MB of responses in a day can retry requests, but use no new keys', async () => {
  const body = randomBytes(4 * 1024 * 1024).toString('base64');
  const large = (key: number, now = start) => ({ ...request('a', now), key: `large-${key}` });
  let stored = 0;
  const isFull = async () =>
    idempotency.find(large(stored, after(1))).then(
      () => false,
      (error: unknown) => error instanceof StoredResponsesFull && error.retryAfterSeconds <= 3_600,
    );
  while (!(await isFull())) {
    await idempotency.keep(large(stored), { status: 200, body });
    stored += 1;
    expect(stored).toBeLessThan(20);
  }
  expect(stored).toBeGreaterThan(8);
  expect(await idempotency.find(large(0))).toMatchObject({ kind: 'answered' });
  const other = { ...request('a'), accountId: await givenAccount(stores.database) };
  expect(await idempotency.find(other)).toEqual(open);
  expect(await idempotency.find(large(stored, after(25 * hourMs)))).toEqual(open);
});
