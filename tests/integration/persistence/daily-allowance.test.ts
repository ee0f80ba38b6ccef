import { type DailyAllowance, toolAllowance } from '@artist-watch/persistence/account/usage-store';
import { beforeAll, expect, test } from '@jest/globals';
import { givenAccount, openStores, type Stores } from './given.js';

let stores: Stores;
let allowance: DailyAllowance;
beforeAll(async () => {
  stores = await openStores();
  allowance = toolAllowance(stores.database);
});

const lastSecond = new Date('2026-05-01T23:59:59.999Z');
const midnight = new Date('2026-05-02T00:00:00.000Z');

test('concurrent calls never exceed the daily allowance', async () => {
  const accountId = await givenAccount(stores.database);
  const reservations = await Promise.all(
    Array.from({ length: 40 }, () => allowance.reserve({ accountId, limit: 25, now: lastSecond })),
  );
  expect(reservations.filter(({ kind }) => kind === 'reserved')).toHaveLength(25);
  expect(await allowance.used(accountId, lastSecond)).toBe(25);
});

test('an allowance day ends at 00:00 UTC, and a returned call counts for the day on which it was used', async () => {
  const accountId = await givenAccount(stores.database);
  const request = { accountId, limit: 1 };
  const { day } = await allowance.reserve({ ...request, now: lastSecond });
  expect(await allowance.reserve({ ...request, now: lastSecond })).toEqual({ kind: 'spent', day: '2026-05-01' });
  expect(await allowance.reserve({ ...request, now: midnight })).toEqual({
    kind: 'reserved',
    day: '2026-05-02',
    used: 1,
  });
  await allowance.refund(accountId, day);
  expect(await allowance.used(accountId, lastSecond)).toBe(0);
  expect(await allowance.used(accountId, midnight)).toBe(1);
});

test('returning more calls than were used does not increase the allowance', async () => {
  const accountId = await givenAccount(stores.database);
  const { day } = await allowance.reserve({ accountId, limit: 1, now: midnight });
  await allowance.refund(accountId, day);
  await allowance.refund(accountId, day);
  expect(await allowance.used(accountId, midnight)).toBe(0);
});

test('a plan without tools has no tool calls', async () => {
  const accountId = await givenAccount(stores.database, 'pro');
  expect(await allowance.reserve({ accountId, limit: 0, now: midnight })).toEqual({ kind: 'spent', day: '2026-05-02' });
});
