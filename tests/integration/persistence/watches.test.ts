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
    watchId: newId('wat', now),
    accountId,
    artistId: newArtistId(),
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

/** As the poller leaves an artist after a good reading. */
async function polled(platformId: string, at: Date, intervalMs: number) {
  await stores.database.pool.query('UPDATE artists SET last_polled_at = $2, next_poll_at = $3 WHERE platform_id = $1', [
    platformId,
    at,
    new Date(at.getTime() + intervalMs),
  ]);
}

test('a new artist is read at once, and goes by its platform id until then', async () => {
  const { artist } = await watch(await givenAccount(stores.database), '27');
  expect(artist).toMatchObject({ platformId: '27', name: '27', followers: 0, metricsObservedAt: null });
  expect(await nextPollAt('27')).toEqual(start);
});

test('a watch of a caller whose clock is ahead begins at once, by the clock of the record', async () => {
  await watch(await givenAccount(stores.database), '26', { now: new Date(Date.now() + hourMs) });
  const { rows } = await stores.database.pool.query(
    `SELECT a.next_poll_at <= now() AS "isDue", w.created_at <= now() AS "hasBegun"
       FROM watches w JOIN artists a ON a.id = w.artist_id WHERE a.platform_id = '26'`,
  );
  expect(rows).toEqual([{ isDue: true, hasBegun: true }]);
});

test('the name that the platform gave is kept, and a known artist keeps its own', async () => {
  await watch(await givenAccount(stores.database), '28', { name: 'Air' });
  const again = await watch(await givenAccount(stores.database), '28', { name: 'Somebody else' });
  expect(again.artist.name).toBe('Air');
});

test('an artist whom nobody follows any more is not read, and is read at once when somebody comes again', async () => {
  const [one, other] = [await givenAccount(stores.database), await givenAccount(stores.database)];
  await watch(one, '29');
  await watch(other, '29');
  await watches.unwatch(one, { platform: 'deezer', platformId: '29' }, start);
  expect(await nextPollAt('29')).toEqual(start);
  await watches.unwatch(other, { platform: 'deezer', platformId: '29' }, start);
  expect(await nextPollAt('29')).toBeNull();
  await watch(one, '29', { now: after(hourMs) });
  expect(await nextPollAt('29')).toEqual(after(hourMs));
});

test.each([
  ['free', '40'],
  ['business', '41'],
] as const)(
  'however often it is left and followed again on %s, an artist is read no sooner than the plan allows',
  async (plan, id) => {
    const account = await givenAccount(stores.database, plan);
    await watch(account, id);
    const { pollIntervalMs } = PLANS[plan];
    await polled(id, start, pollIntervalMs);
    for (const seconds of [1, 2, 3]) {
      await watches.unwatch(account, { platform: 'deezer', platformId: id }, after(seconds * 1_000));
      await watch(account, id, { now: after(seconds * 1_000) });
      expect(await nextPollAt(id)).toEqual(after(pollIntervalMs));
    }
  },
);

test('an account begins five times as many watches a UTC day as its plan has artists, and again the next day', async () => {
  const account = await givenAccount(stores.database, 'free');
  const limit = newWatchesPerDay(PLANS.free);
  const begin = async (platformId: string, now: Date) => {
    await watch(account, platformId, { now });
    await watches.unwatch(account, { platform: 'deezer', platformId }, now);
  };
  for (let n = 0; n < limit; n += 1) await begin(`day-${n}`, start);
  const elevenHours = after(11 * hourMs);
  await expect(begin('one-more', elevenHours)).rejects.toEqual(new PlanLimitReached('new artists a day', 5));
  await begin('one-more', after(12 * hourMs));
});

test('the id of an artist shows nothing of the instant at which the first account began to watch it', async () => {
  const { artist } = await watch(await givenAccount(stores.database), '42');
  expect(artist.id).toMatch(/^art_[0-9a-f]{32}$/);
  expect(artist.id.slice(4, 16)).not.toBe(newId('wat', start).slice(4, 16));
});

test('whoever comes while the last one leaves, an artist with a follower is read', async () => {
  const [leaving, coming] = [await givenAccount(stores.database), await givenAccount(stores.database)];
  for (let round = 0; round < 25; round += 1) {
    const platformId = `contested-${round}`;
    await watch(leaving, platformId);
    await Promise.all([watches.unwatch(leaving, { platform: 'deezer', platformId }, start), watch(coming, platformId)]);
    expect(await nextPollAt(platformId)).not.toBeNull();
  }
});

test('an artist that is watched over one replica while another unwatches it is answered by both', async () => {
  const account = await givenAccount(stores.database);
  const { artist } = await watch(account, '34');
  const elsewhere = watchStore(stores.openReplica());
  let hasUnwatched = false;
  const requests = await inTransaction(stores.database.pool, async (holder) => {
    // The request that watches reads this table when it has seen that the artist is watched.
    await holder.query('LOCK TABLE watch_allowances IN ACCESS EXCLUSIVE MODE');
    const watching = watch(account, '34');
    await until('the request that watches waits', async () => (await waiting()) === 1);
    const unwatching = elsewhere.unwatch(account, { artistId: artist.id }, start).finally(() => {
      hasUnwatched = true;
    });
    await until('the other one has ended, or waits too', async () => hasUnwatched || (await waiting()) === 2);
    return { watching, unwatching };
  });
  expect(await requests.watching).toMatchObject({ created: false, artist: { platformId: '34' } });
  expect(await requests.unwatching).toMatchObject({ platformId: '34' });
  expect(await watches.list(account, start)).toEqual([]);
});

/** How many statements on this suite's database wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await stores.database.pool.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length;
}

test('a follower on a faster plan does not wait out the interval of a slower one', async () => {
  await watch(await givenAccount(stores.database, 'free'), '30');
  await polled('30', start, PLANS.free.pollIntervalMs);
  await watch(await givenAccount(stores.database, 'pro'), '30', { now: after(10_000) });
  expect(await nextPollAt('30')).toEqual(after(PLANS.pro.pollIntervalMs));
});

test('a faster plan applies at once, and a slower one postpones nothing', async () => {
  const account = await givenAccount(stores.database, 'free');
  await watch(account, '31');
  await polled('31', start, PLANS.free.pollIntervalMs);
  const accounts = accountStore(stores.database);
  await accounts.setPlan({ id: account, plan: 'business', now: after(2 * hourMs) });
  expect(await nextPollAt('31')).toEqual(after(2 * hourMs));
  await accounts.setPlan({ id: account, plan: 'free', now: after(2 * hourMs) });
  expect(await nextPollAt('31')).toEqual(after(2 * hourMs));
});

test('an artist that the platform gives trouble with keeps the pause that it was given', async () => {
  const account = await givenAccount(stores.database, 'free');
  await watch(account, '32');
  await polled('32', start, 48 * hourMs);
  await stores.database.pool.query("UPDATE artists SET incomplete_polls = 3 WHERE platform_id = '32'");
  await accountStore(stores.database).setPlan({ id: account, plan: 'business', now: after(hourMs) });
  await watch(await givenAccount(stores.database), '32', { now: after(hourMs) });
  expect(await nextPollAt('32')).toEqual(after(48 * hourMs));
});

test('ending a watch that there is not is not found, by whichever id', async () => {
  const account = await givenAccount(stores.database);
  const { artist } = await watch(await givenAccount(stores.database), '33');
  const notFound = new NotFound('artist');
  await expect(watches.unwatch(account, { artistId: artist.id }, start)).rejects.toEqual(notFound);
  await expect(watches.unwatch(account, { artistId: newArtistId() }, start)).rejects.toEqual(notFound);
  await expect(watches.unwatch(account, { platform: 'deezer', platformId: 'nobody' }, start)).rejects.toEqual(notFound);
  await watch(account, '33');
  await expect(watches.unwatch(account, { artistId: artist.id }, start)).resolves.toMatchObject({ platformId: '33' });
});
