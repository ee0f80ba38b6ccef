import { createHash } from 'node:crypto';
import type { AccountId } from '@artist-watch/domain/ids';
import { type IdempotencyStore, idempotencyStore } from '@artist-watch/persistence/idempotency-store';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { after, givenAccount, openStores, type Stores, start } from './given.js';

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

test('a repeat gets the answer of the first for 24 hours, and then starts afresh', async () => {
  expect(await idempotency.begin(request('a'))).toEqual({ kind: 'begun', since: start });
  await idempotency.finish(request('a'), answer);
  expect(await idempotency.begin(request('a', after(24 * hourMs - 1)))).toEqual({ kind: 'answered', ...answer });
  const afresh = after(24 * hourMs);
  expect(await idempotency.begin(request('b', afresh))).toEqual({ kind: 'begun', since: afresh });
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

test('a request that died is taken over by its repeat after a minute, once, and cannot answer any more', async () => {
  await idempotency.begin(request('a'));
  expect(await idempotency.begin(request('a', after(59_999)))).toEqual({ kind: 'running' });
  const repeats = await Promise.all([1, 2, 3].map(() => idempotency.begin(request('a', after(60_000)))));
  expect(repeats.filter(({ kind }) => kind === 'begun')).toEqual([{ kind: 'begun', since: start }]);
  await idempotency.finish(request('a'), { status: 500, body: 'from the dead' });
  await idempotency.finish(request('a', after(60_000)), answer);
  expect(await idempotency.begin(request('a', after(61_000)))).toEqual({ kind: 'answered', ...answer });
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
