import { OPERATOR } from '@artist-watch/domain/account/actor';
import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanLimitReached, PlanRequired } from '@artist-watch/domain/refusals';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { memberStore } from '@artist-watch/persistence/account/members';
import { accountStore } from '@artist-watch/persistence/account/store';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { readDestination } from '@artist-watch/persistence/destination/reads';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  after,
  givenAccount,
  givenChange,
  givenDestination,
  givenWatch,
  openStores,
  type Stores,
  start,
} from './given.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});

/** Counts the successes and collects the errors. */
async function race(count: number, attempt: (index: number) => Promise<unknown>) {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => attempt(index)));
  return {
    passed: outcomes.filter(({ status }) => status === 'fulfilled').length,
    refusals: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}

function watching(accountId: AccountId, platformId: string) {
  return watchStore(stores.database).watch({
    accountId,
    platform: 'deezer',
    platformId,
    now: start,
  });
}

describe("concurrent requests never exceed the plan's limit", () => {
  test("concurrent requests never exceed the plan's number of artists", async () => {
    const accountId = await givenAccount(stores.database, 'starter');
    const { passed, refusals } = await race(30, (index) => watching(accountId, `race-${index}`));
    expect(passed).toBe(PLANS.starter.artists);
    expect(refusals).toHaveLength(20);
    for (const refusal of refusals) expect(refusal).toEqual(new PlanLimitReached('artists', 10));
    expect(await watchStore(stores.database).list(accountId, start)).toHaveLength(10);
  });

  test("concurrent requests never exceed the plan's number of members", async () => {
    const accountId = await givenAccount(stores.database, 'pro');
    const members = memberStore(stores.database);
    const { passed, refusals } = await race(12, (index) =>
      members.add({ id: newId('mem', start), accountId, email: `person-${index}@label.example`, now: start }),
    );
    expect(passed).toBe(PLANS.pro.seats);
    for (const refusal of refusals) expect(refusal).toEqual(new PlanLimitReached('members', 5));
  });

  test("concurrent requests never exceed the plan's number of API keys", async () => {
    const accountId = await givenAccount(stores.database, 'starter');
    const { passed, refusals } = await race(8, () => issue(accountId));
    expect(passed).toBe(PLANS.starter.keys);
    for (const refusal of refusals) expect(refusal).toEqual(new PlanLimitReached('API keys', 2));
  });

  test("concurrent requests never exceed the plan's number of destinations", async () => {
    const accountId = await givenAccount(stores.database, 'business');
    const { passed, refusals } = await race(25, () => givenDestination(stores, accountId));
    expect(passed).toBe(PLANS.business.destinations);
    for (const refusal of refusals) expect(refusal).toEqual(new PlanLimitReached('webhooks', 10));
  });
});

function issue(accountId: AccountId, now = start) {
  return apiKeyIssuer(stores.database).issue({ accountId, by: OPERATOR, now });
}

test('two accounts that watch the same new artist at the same time share one row', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => givenAccount(stores.database)));
  const watched = await Promise.all(accounts.map((accountId) => watching(accountId, 'shared-by-all')));
  expect(new Set(watched.map(({ artist }) => artist.id)).size).toBe(1);
});

test("an account's concurrent requests to watch the same artist create only one watch", async () => {
  const accountId = await givenAccount(stores.database, 'free');
  const watched = await Promise.all(Array.from({ length: 8 }, () => watching(accountId, 'asked-often')));
  expect(watched.filter(({ created }) => created)).toHaveLength(1);
});

test("watching an artist again is not rejected when the plan's limit is reached", async () => {
  const accountId = await givenAccount(stores.database, 'free');
  await watching(accountId, 'the-only-one');
  await expect(watching(accountId, 'the-only-one')).resolves.toMatchObject({ created: false });
  await expect(watching(accountId, 'one-more')).rejects.toBeInstanceOf(PlanLimitReached);
});

test.each(['free', 'starter', 'pro'] as const)('the plan %s has no destinations', async (plan) => {
  const accountId = await givenAccount(stores.database, plan);
  await expect(givenDestination(stores, accountId)).rejects.toEqual(new PlanRequired('Destinations'));
});

test('deleting a destination makes room for another', async () => {
  const accountId = await givenAccount(stores.database);
  const ids = await Promise.all(Array.from({ length: 10 }, () => givenDestination(stores, accountId)));
  const [id] = ids as [(typeof ids)[number]];
  await destinationCommands(stores.database, stores.box).delete({ id }, after(1_000));
  await expect(givenDestination(stores, accountId)).resolves.toMatch(/^dst_/);
});

test('an expired key makes room for another', async () => {
  const accountId = await givenAccount(stores.database, 'free');
  const issueAt = (now: Date, expiresAt?: Date) =>
    apiKeyIssuer(stores.database).issue({ accountId, by: OPERATOR, expiresAt, now });
  expect(await issueAt(start, after(10_000))).toMatchObject({ expiresAt: after(10_000) });
  await expect(issueAt(after(9_999))).rejects.toBeInstanceOf(PlanLimitReached);
  expect(await issueAt(after(10_000))).toMatchObject({ expiresAt: null });
});

test('revoking a key makes room for another, and a second revocation keeps the first time', async () => {
  const accountId = await givenAccount(stores.database, 'free');
  const keys = apiKeyIssuer(stores.database);
  const { id } = await issue(accountId);
  await expect(issue(accountId)).rejects.toBeInstanceOf(PlanLimitReached);
  await keys.revoke({ id, by: OPERATOR, now: after(1_000) });
  expect(await keys.revoke({ id, by: OPERATOR, now: after(9_000) })).toMatchObject({ id, revokedAt: after(1_000) });
  await issue(accountId, after(9_000));
  expect((await keys.list(accountId)).map(({ revokedAt }) => revokedAt)).toEqual([after(1_000), null]);
  for (const missing of [{ id: newId('key', start) }, { id, accountId: await givenAccount(stores.database) }]) {
    await expect(keys.revoke({ ...missing, by: OPERATOR, now: start })).rejects.toEqual(new NotFound('API key'));
  }
});

test('after a downgrade, everything above the limits stays, and nothing can be added', async () => {
  const accountId = await givenAccount(stores.database, 'starter');
  await watching(accountId, 'kept-1');
  await watching(accountId, 'kept-2');
  await accountStore(stores.database).setPlan({ id: accountId, plan: 'free', now: start });
  expect(await watchStore(stores.database).list(accountId, start)).toHaveLength(2);
  await expect(watching(accountId, 'kept-3')).rejects.toEqual(new PlanLimitReached('artists', 1));
});

test('destinations that a smaller plan does not include get no changes until the account has the larger plan again', async () => {
  const accountId = await givenAccount(stores.database);
  const artistId = await givenWatch(stores.database, accountId);
  const destinationIds = [await givenDestination(stores, accountId), await givenDestination(stores, accountId)];
  const confirmedUnder = async (plan: PlanName) => {
    await accountStore(stores.database).setPlan({ id: accountId, plan, now: start });
    return givenChange(stores.database, artistId);
  };
  const changes: string[] = [];
  for (const plan of ['pro', 'business', 'free'] as const) changes.push(await confirmedUnder(plan));
  const { rows } = await stores.database.pool.query(
    'SELECT change_id, destination_id FROM deliveries WHERE account_id = $1 ORDER BY destination_id',
    [accountId],
  );
  expect(rows).toEqual(destinationIds.sort().map((id) => ({ change_id: changes[1], destination_id: id })));
  const feed = await stores.database.pool.query('SELECT FROM feed_items WHERE account_id = $1', [accountId]);
  expect(feed.rowCount).toBe(3);
});

test('a change of plan creates a notice for each destination that it pauses or resumes, and for no others', async () => {
  const accountId = await givenAccount(stores.database);
  const id = await givenDestination(stores, accountId);
  const kindsAfter = async (plan: PlanName, minutes: number) => {
    await accountStore(stores.database).setPlan({ id: accountId, plan, now: after(minutes * 60_000) });
    const { notices, pausedByPlan } = await readDestination(stores.database.pool, { id });
    return [pausedByPlan, ...notices.map(({ kind }) => kind)];
  };
  expect(await kindsAfter('business', 1)).toEqual([false]);
  expect(await kindsAfter('pro', 2)).toEqual([true, 'paused_by_plan']);
  expect(await kindsAfter('free', 3)).toEqual([true, 'paused_by_plan']);
  expect(await kindsAfter('business', 4)).toEqual([false, 'resumed_by_plan', 'paused_by_plan']);
});

test('an account cannot have the same person twice, whatever the letter case of the email address', async () => {
  const accountId = await givenAccount(stores.database);
  const members = memberStore(stores.database);
  const member = { accountId, now: start };
  await members.add({ ...member, id: newId('mem', start), email: 'Ann@Label.example' });
  await expect(members.add({ ...member, id: newId('mem', start), email: 'ann@label.example' })).rejects.toBeInstanceOf(
    Conflict,
  );
  await members.add({ ...member, id: newId('mem', start), email: 'bob@label.example', role: 'owner' });
  await expect(members.remove({ ...member, email: 'ANN@label.example' })).resolves.toMatchObject({
    email: 'ann@label.example',
  });
  await expect(members.remove({ ...member, email: 'ann@label.example' })).rejects.toEqual(new NotFound('member'));
  expect((await members.list(accountId)).map(({ email }) => email)).toEqual(['bob@label.example']);
});

test('an account cannot have the same person twice, whatever the form of the email domain, even in old rows', async () => {
  const accountId = await givenAccount(stores.database);
  const members = memberStore(stores.database);
  const member = { accountId, now: start };
  const [letters, ascii] = ['Ann@Münchén.example', 'ann@xn--mnchn-esa3k.example'] as const;
  const add = (email: string) => members.add({ ...member, id: newId('mem', start), email });
  expect((await add('bob@label.example')).role).toBe('owner');
  for (const stored of [ascii, 'ann@münchén.example']) {
    await add(letters);
    await stores.database.pool.query('UPDATE members SET email = $2 WHERE email = $1', [ascii, stored]);
    for (const email of [letters, ascii]) await expect(add(email)).rejects.toBeInstanceOf(Conflict);
    await expect(members.setRole({ ...member, email: letters, role: 'owner' })).resolves.toMatchObject({
      email: stored,
    });
    await expect(members.remove({ ...member, email: ascii })).resolves.toMatchObject({ email: stored });
  }
});

test('an email address that requires SMTPUTF8 is rejected, because some mail servers do not support it', async () => {
  const accountId = await givenAccount(stores.database);
  const members = memberStore(stores.database);
  const add = (email: string) => members.add({ accountId, now: start, id: newId('mem', start), email });
  for (const email of ['ünn@label.example', '用户@label.example', 'ünn@münchén.example']) {
    await expect(add(email)).rejects.toThrow('characters before the @ that are not ASCII');
  }
  await expect(add('ann+label@münchén.example')).resolves.toMatchObject({ email: 'ann+label@xn--mnchn-esa3k.example' });
});

test('an account always has an owner: the first member is one, and the last owner cannot be removed or demoted', async () => {
  const accountId = await givenAccount(stores.database);
  const members = memberStore(stores.database);
  const action = { accountId, now: start };
  const emails = ['ann@label.example', 'bob@label.example'] as const;
  for (const [second, email] of emails.entries()) {
    await members.add({ ...action, id: newId('mem', after(second * 1_000)), email });
  }
  expect((await members.list(accountId)).map(({ role }) => role)).toEqual(['owner', 'member']);
  await expect(members.remove({ ...action, email: emails[0] })).rejects.toBeInstanceOf(Conflict);
  await expect(members.setRole({ ...action, email: emails[0], role: 'member' })).rejects.toBeInstanceOf(Conflict);

  await members.setRole({ ...action, email: emails[1], role: 'owner' });
  const outcomes = await Promise.allSettled(emails.map((email) => members.remove({ ...action, email })));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await members.list(accountId)).toMatchObject([{ role: 'owner' }]);
});

test('an account can send invitations for three times its member limit plus ten in 24 hours, including removed members', async () => {
  const accountId = await givenAccount(stores.database, 'starter');
  const members = memberStore(stores.database);
  const invite = (email: string, now: Date) => members.add({ id: newId('mem', now), accountId, email, now });
  await invite('owner@label.example', start);
  for (let n = 1; n < 16; n += 1) {
    await invite(`${n}@stranger.example`, start);
    await members.remove({ accountId, email: `${n}@stranger.example`, now: start });
  }
  await expect(invite('one-more@stranger.example', after(86_399_999))).rejects.toEqual(
    new PlanLimitReached('invitations a day', 16),
  );
  await invite('one-more@stranger.example', after(86_400_001));
});

test('every request for an account that does not exist is rejected as not found', async () => {
  const nobody = newId('acc', start);
  const notFound = new NotFound('account');
  await expect(watching(nobody, 'x')).rejects.toEqual(notFound);
  await expect(issue(nobody)).rejects.toEqual(notFound);
  await expect(givenDestination(stores, nobody)).rejects.toEqual(notFound);
  await expect(accountStore(stores.database).setPlan({ id: nobody, plan: 'pro', now: start })).rejects.toEqual(
    notFound,
  );
  expect(await accountStore(stores.database).find(nobody)).toBeUndefined();
});
