import { OPERATOR } from '@artist-watch/domain/account/actor';
import { newWatchesPerDay, PLANS } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import { until } from '@artist-watch/harness/until';
import { accountStore } from '@artist-watch/persistence/account/store';
import { type WatchStore, watchStore } from '@artist-watch/persistence/account/watches';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import { beforeAll, expect, test } from '@jest/globals';
import { after, givenAccount, openStores, type Stores, start } from './given.js';

let stores: Stores;
let watches: WatchStore;
beforeAll(async () => {
  stores = await openStores();
  watches = watchStore(stores.database);
});

const hourMs = 3_600_000;

function watch(accountId: AccountId, platformId: string, { now = start, name }: { now?: Date; name?: string } = {}) {
  return watches.watch({
    accountId,
    platform: 'deezer',
    platformId,
    now,
    ...(name === undefined ? {} : { name }),
  });
}

async function nextPollAt(platformId: string): Promise<Date | null> {
  const { rows } = await stores.database.pool.query('SELECT next_poll_at FROM artists WHERE platform_id = $1', [
    platformId,
  ]);
  return rows[0].next_poll_at;
}

/** A complete observation leaves this state. */
async function polled(platformId: string, at: Date, intervalMs: number) {
  await stores.database.pool.query('UPDATE artists SET last_polled_at = $2, next_poll_at = $3 WHERE platform_id = $1', [
    platformId,
    at,
    new Date(at.getTime() + intervalMs),
  ]);
}

test('a new artist is polled at once, and its name is its platform id until then', async () => {
  const { artist } = await watch(await givenAccount(stores.database), '27');
  expect(artist).toMatchObject({ platformId: '27', name: '27', followers: 0, metricsObservedAt: null });
  expect(await nextPollAt('27')).toEqual(start);
});

test("a watch starts at the database's time, even if the caller's clock is ahead", async () => {
  await watch(await givenAccount(stores.database), '26', { now: new Date(Date.now() + hourMs) });
  const { rows } = await stores.database.pool.query(
    `SELECT a.next_poll_at <= now() AS "isDue", w.created_at <= now() AS "hasBegun"
       FROM watches w JOIN artists a ON a.id = w.artist_id WHERE a.platform_id = '26'`,
  );
  expect(rows).toEqual([{ isDue: true, hasBegun: true }]);
});

test('a name from the platform is stored, and a known artist keeps its name', async () => {
  await watch(await givenAccount(stores.database), '28', { name: 'Air' });
  const again = await watch(await givenAccount(stores.database), '28', { name: 'Somebody else' });
  expect(again.artist.name).toBe('Air');
});

test('an artist without watches is not polled, and is polled at once when it is watched again', async () => {
  const [one, other] = [await givenAccount(stores.database), await givenAccount(stores.database)];
  const { artist } = await watch(one, '29');
  await watch(other, '29');
  await watches.unwatch(one, [artist.id], start, OPERATOR);
  expect(await nextPollAt('29')).toEqual(start);
  await watches.unwatch(other, [artist.id], start, OPERATOR);
  expect(await nextPollAt('29')).toBeNull();
  await watch(one, '29', { now: after(hourMs) });
  expect(await nextPollAt('29')).toEqual(after(hourMs));
});

test.each([
  ['free', '40'],
  ['business', '41'],
] as const)(
  'however often an artist is unwatched and watched again on %s, it is polled no earlier than the plan allows',
  async (plan, id) => {
    const account = await givenAccount(stores.database, plan);
    const { artist } = await watch(account, id);
    const { pollIntervalMs } = PLANS[plan];
    await polled(id, start, pollIntervalMs);
    for (const seconds of [1, 2, 3]) {
      await watches.unwatch(account, [artist.id], after(seconds * 1_000), OPERATOR);
      await watch(account, id, { now: after(seconds * 1_000) });
      expect(await nextPollAt(id)).toEqual(after(pollIntervalMs));
    }
  },
);

test("an account can start at most five times its plan's number of watches per UTC day", async () => {
  const account = await givenAccount(stores.database, 'free');
  const limit = newWatchesPerDay(PLANS.free);
  const begin = async (platformId: string, now: Date) => {
    const { artist } = await watch(account, platformId, { now });
    await watches.unwatch(account, [artist.id], now, OPERATOR);
  };
  for (let n = 0; n < limit; n += 1) await begin(`day-${n}`, start);
  const elevenHours = after(11 * hourMs);
  await expect(begin('one-more', elevenHours)).rejects.toEqual(new PlanLimitReached('new artists a day', 5));
  await begin('one-more', after(12 * hourMs));
});

test("an artist's id does not reveal when the first account started to watch it", async () => {
  const { artist } = await watch(await givenAccount(stores.database), '42');
  expect(artist.id).toMatch(/^art_[0-9a-f]{32}$/);
  expect(artist.id.slice(4, 16)).not.toBe(newId('wat', start).slice(4, 16));
});

test('if one account watches an artist while its last watcher leaves, the artist is polled', async () => {
  const [leaving, coming] = [await givenAccount(stores.database), await givenAccount(stores.database)];
  for (let round = 0; round < 25; round += 1) {
    const platformId = `contested-${round}`;
    const { artist } = await watch(leaving, platformId);
    const unwatching = watches.unwatch(leaving, [artist.id], start, OPERATOR);
    await Promise.all([unwatching, watch(coming, platformId)]);
    expect(await nextPollAt(platformId)).not.toBeNull();
  }
});

test('concurrent requests to watch and to unwatch an artist both succeed', async () => {
  const account = await givenAccount(stores.database);
  const { artist } = await watch(account, '34');
  const elsewhere = watchStore(stores.openReplica());
  let hasUnwatched = false;
  const requests = await inTransaction(stores.database.pool, async (holder) => {
    // The request reads this table after it has found that the artist is watched.
    await holder.query('LOCK TABLE watch_allowances IN ACCESS EXCLUSIVE MODE');
    const watching = watch(account, '34');
    await until('the watch request to wait', async () => (await waiting()) === 1);
    const unwatching = elsewhere.unwatch(account, [artist.id], start, OPERATOR).finally(() => {
      hasUnwatched = true;
    });
    await until('the other request to end or to wait', async () => hasUnwatched || (await waiting()) === 2);
    return { watching, unwatching };
  });
  expect(await requests.watching).toMatchObject({ created: false, artist: { platformId: '34' } });
  expect(await requests.unwatching).toMatchObject([{ id: artist.id }]);
  expect(await watches.list(account, start)).toEqual([]);
});

async function waiting(): Promise<number> {
  const { rows } = await stores.database.pool.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length;
}

test("a watcher on a faster plan does not wait for a slower plan's interval", async () => {
  await watch(await givenAccount(stores.database, 'free'), '30');
  await polled('30', start, PLANS.free.pollIntervalMs);
  await watch(await givenAccount(stores.database, 'pro'), '30', { now: after(10_000) });
  expect(await nextPollAt('30')).toEqual(after(PLANS.pro.pollIntervalMs));
});

test('a faster plan applies at once, and a slower plan does not delay the next poll', async () => {
  const account = await givenAccount(stores.database, 'free');
  await watch(account, '31');
  await polled('31', start, PLANS.free.pollIntervalMs);
  const accounts = accountStore(stores.database);
  await accounts.setPlan({ id: account, plan: 'business', now: after(2 * hourMs) });
  expect(await nextPollAt('31')).toEqual(after(2 * hourMs));
  await accounts.setPlan({ id: account, plan: 'free', now: after(2 * hourMs) });
  expect(await nextPollAt('31')).toEqual(after(2 * hourMs));
});

test('an artist with platform errors keeps its retry time', async () => {
  const account = await givenAccount(stores.database, 'free');
  await watch(account, '32');
  await polled('32', start, 48 * hourMs);
  await stores.database.pool.query("UPDATE artists SET incomplete_polls = 3 WHERE platform_id = '32'");
  await accountStore(stores.database).setPlan({ id: account, plan: 'business', now: after(hourMs) });
  await watch(await givenAccount(stores.database), '32', { now: after(hourMs) });
  expect(await nextPollAt('32')).toEqual(after(48 * hourMs));
});

test('a watch that does not exist cannot be ended', async () => {
  const account = await givenAccount(stores.database);
  const { artist } = await watch(await givenAccount(stores.database), '33');
  const notFound = new NotFound('artist');
  await expect(watches.unwatch(account, [artist.id], start, OPERATOR)).rejects.toEqual(notFound);
  await expect(watches.unwatch(account, [newArtistId()], start, OPERATOR)).rejects.toEqual(notFound);
  await watch(account, '33');
  await expect(watches.unwatch(account, [artist.id], start, OPERATOR)).resolves.toMatchObject([{ id: artist.id }]);
});
