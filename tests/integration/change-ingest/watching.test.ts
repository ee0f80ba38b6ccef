import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { PlanLimitReached } from '@artist-watch/domain/refusals';
import { useSuite } from '@artist-watch/harness/suite';
import type { TestClock } from '@artist-watch/harness/test-clock';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { dueArtists } from '@artist-watch/persistence/polling/due-artists';
import type { PlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openTestDatabase, watching } from './ingest-fixture.js';
import { ARTIST, START, watchOneArtist } from './watched-artist.js';
import { changeRows, Watching } from './watching-fixture.js';

const { databaseUrl, pool } = await useSuite();
const database = openTestDatabase(databaseUrl);
afterAll(() => database.close());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let simulator: PlatformSimulator;
let clock: TestClock;
let replica: Watching;
let artistId: string;
let releases: string[];

beforeEach(async () => {
  ({ simulator, clock, replica, artistId, releases } = await watchOneArtist(database));
});
afterEach(async () => {
  await replica.stop();
  await simulator.stop();
});

const artistRow = async (id = artistId) => (await pool.query('SELECT * FROM artists WHERE id = $1', [id])).rows[0];
const removed = (id: string | undefined, isRemoved = true) =>
  simulator.state.changeRelease(id ?? '', { removed: isRemoved });

/** The plan polls every 15 minutes, and a confirmation every ten minutes. */
async function readsIn(durationMs: number): Promise<number> {
  const before = replica.polled.length;
  await replica.pass(durationMs);
  return replica.polled.length - before;
}

/** Afterwards, the artist is known, with the tracks of all releases. */
async function watchFor(durationMs = HOUR_MS): Promise<void> {
  await replica.pass(durationMs);
  expect(await changeRows(database)).toEqual([]);
}

describe('a new watch', () => {
  test('a new watch uses the first complete observation as the baseline, reports nothing, and reads the tracks immediately', async () => {
    await replica.pass(5);
    expect(replica.polled.map(({ depth, processed }) => [typeof depth, processed.settlement.kind])).toEqual([
      ['string', 'baseline'],
      ['object', 'compared'],
    ]);
    const { rows } = await pool.query(`SELECT state FROM baselines`);
    expect(rows[0].state.releases).toHaveLength(releases.length);
    for (const release of rows[0].state.releases) expect(release.tracks.length).toBeGreaterThan(0);
    expect(await changeRows(database)).toEqual([]);
    const artist = simulator.state.known('artist', ARTIST);
    expect(await artistRow()).toMatchObject({ name: artist.name, followers: artist.followers });
    const tracks = rows[0].state.releases.flatMap((release: { tracks: unknown[] }) => release.tracks);
    const days = await pool.query('SELECT * FROM artist_days WHERE artist_id = $1', [artistId]);
    expect(days.rows).toMatchObject([
      { readings: 2, complete_readings: 2, releases: releases.length, tracks: tracks.length },
    ]);
  });

  test("an artist's first list is not accepted as the baseline if it is empty", async () => {
    simulator.setQuirks({ emptyList: { probability: 1, times: 1 } });
    await replica.pass(14 * MINUTE_MS);
    expect(replica.polled).toHaveLength(1);
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toEqual([]);
    expect((await pool.query('SELECT state FROM baselines')).rows[0].state.releases).toHaveLength(releases.length);
  });

  test("if an artist's list is still empty one interval later, its next releases are reported", async () => {
    for (const id of releases) removed(id);
    await replica.pass(20 * MINUTE_MS);
    expect(replica.polled).toHaveLength(2);
    removed(releases[0], false);
    await replica.pass(HOUR_MS);
    expect(await changeRows(database)).toMatchObject([{ type: 'release_added', state: 'confirmed' }]);
  });

  test("an artist is polled at the shortest interval of its watchers' plans, and is not polled without watchers", async () => {
    await replica.pass(10);
    const at = clock.now().getTime();
    const nextInMinutes = async () => Math.round(((await artistRow()).next_poll_at.getTime() - at) / MINUTE_MS);
    expect(await nextInMinutes()).toBe(15);
    await pool.query(`UPDATE accounts SET plan = 'free'`);
    await watching(pool, { accountId: 'acc_2', artistPlatformId: ARTIST, plan: 'starter', now: clock.now() });
    await replica.poll();
    expect(await nextInMinutes()).toBe(6 * 60);
    await pool.query('DELETE FROM watches');
    await pool.query('UPDATE artists SET next_poll_at = $1', [clock.advance(1)]);
    await replica.poll();
    expect((await artistRow()).next_poll_at).toBeNull();
  });

  test('an artist that had no watchers for a while starts with a new baseline', async () => {
    await watchFor();
    removed(releases[0]);
    await replica.pass(20 * MINUTE_MS);
    await pool.query('DELETE FROM watches');
    await replica.pass(HOUR_MS);
    removed(releases[1]);
    clock.advance(HOUR_MS);
    await watching(pool, { accountId: 'acc_2', artistPlatformId: ARTIST, now: clock.now() });
    await pool.query('UPDATE artists SET next_poll_at = $1', [clock.now()]);
    await replica.pass(3 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([{ state: 'dismissed', dismissed_reason: 'overtaken' }]);
    removed(releases[2]);
    await replica.pass(3 * HOUR_MS);
    expect((await changeRows(database)).filter(({ state }) => state === 'confirmed')).toMatchObject([
      { type: 'release_removed', entity_id: releases[2] },
    ]);
  });

  test('a new watch is polled even if all slots are in use', async () => {
    await replica.stop();
    replica = new Watching({ database, simulator, clock, concurrency: 1 });
    simulator.setQuirks({ slow: { probability: 1, delayMs: 1_000, paths: ARTIST } });
    await pool.query('UPDATE artists SET last_polled_at = $1', [clock.now()]);
    const busy = replica.poll();
    while (replica.poller.underWay === 0) await new Promise((resolve) => setImmediate(resolve));
    const [other] = simulator.state.artists();
    await watching(pool, { accountId: 'acc_1', artistPlatformId: other?.id ?? '', now: clock.now() });
    await replica.poller.run('first', new AbortController().signal);
    expect(replica.poller.underWay).toBe(2);
    simulator.setQuirks({});
    await busy;
    expect(replica.polled.map(({ due }) => due.platformId)).toContain(other?.id);
  });

  test('a new watch waits for at most one artist of each other account, for its first poll and for its first detailed read', async () => {
    await pool.query('TRUNCATE accounts, artists CASCADE');
    const [mine, ...theirs] = simulator.state.artists();
    const order = async (kind: 'first' | 'learning') => {
      const claims = dueArtists(database, { platform: 'deezer', leaseMs: MINUTE_MS, intervalFactor: 1 });
      const claimed: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        claimed.push(...(await claims.claim(kind, 1, 6, clock.now())).map(({ platformId }) => platformId));
      }
      return claimed;
    };
    for (const { id } of theirs) {
      await watching(pool, { accountId: 'acc_crowd', artistPlatformId: id, now: clock.now() });
    }
    clock.advance(1_000);
    await watching(pool, { accountId: 'acc_alone', artistPlatformId: mine?.id ?? '', plan: 'free', now: clock.now() });
    const first = await order('first');
    expect(new Set(first).size).toBe(6);
    expect(first[0]).toBe(mine?.id);
    await pool.query('UPDATE artists SET poll_claimed_until = NULL, last_polled_at = $1, learning = true', [
      clock.now(),
    ]);
    expect((await order('learning'))[0]).toBe(mine?.id);
    // An account also never has more concurrent reads than its limit.
    await pool.query('UPDATE artists SET poll_claimed_until = NULL');
    const claims = dueArtists(database, { platform: 'deezer', leaseMs: MINUTE_MS, intervalFactor: 1 });
    expect(await claims.claim('learning', 10, 2, clock.now())).toHaveLength(3);
    expect(await claims.claim('learning', 10, 2, clock.now())).toEqual([]);
  });

  test('an artist is polled on time even if another account has more overdue artists than there are slots', async () => {
    await pool.query('TRUNCATE accounts, artists CASCADE');
    const [mine, shared, ...theirs] = simulator.state.artists();
    for (const artist of [shared, ...theirs]) {
      await watching(pool, { accountId: 'acc_crowd', artistPlatformId: artist?.id ?? '', now: clock.now() });
    }
    clock.advance(1_000);
    await watching(pool, { accountId: 'acc_alone', artistPlatformId: mine?.id ?? '', plan: 'free', now: clock.now() });
    await watching(pool, {
      accountId: 'acc_alone',
      artistPlatformId: shared?.id ?? '',
      plan: 'free',
      now: clock.now(),
    });
    await pool.query('UPDATE artists SET last_polled_at = $1', [clock.now()]);
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM artists WHERE platform_id = $1', [shared?.id]);
    const claims = dueArtists(database, { platform: 'deezer', leaseMs: MINUTE_MS, intervalFactor: 1 });
    const before = await claims.claim('usual', 4, 2, clock.now());
    expect(before.map(({ account }) => account)).toEqual(['acc_crowd', 'acc_crowd']);
    const next = await claims.claim('usual', 4, 2, clock.now(), { acc_crowd: 2 });
    expect(next).toMatchObject([{ platformId: mine?.id, account: 'acc_alone' }]);
    // An artist that several accounts watch counts toward the account with the fastest plan.
    await pool.query('UPDATE artists SET poll_claimed_until = NULL, next_poll_at = NULL WHERE id <> $1', [rows[0]?.id]);
    await pool.query('UPDATE artists SET poll_claimed_until = NULL');
    expect(await claims.claim('usual', 4, 2, clock.now())).toMatchObject([{ account: 'acc_crowd' }]);
  });

  test('an artist is polled eventually even if its account has more due artists than it may poll at once', async () => {
    await pool.query('TRUNCATE accounts, artists CASCADE');
    const artists = simulator.state.artists();
    for (const { id } of artists) await watching(pool, { accountId: 'acc_1', artistPlatformId: id, now: clock.now() });
    await replica.stop();
    replica = new Watching({ database, simulator, clock, concurrency: 2 });
    await replica.poll();
    const before = replica.polled.length;
    await pool.query('UPDATE artists SET next_poll_at = $1, learning = false', [clock.now()]);
    clock.advance(1_000);
    await replica.poll();
    expect(replica.polled.length - before).toBe(artists.length);
  });

  test('an artist that is missing on the platform is polled less and less often, and no change is reported', async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '999', now: clock.now() });
    await replica.pass(3 * HOUR_MS);
    const { rows } = await pool.query(`SELECT * FROM artists WHERE platform_id = '999'`);
    expect(rows[0].incomplete_polls).toBeGreaterThan(5);
    expect(rows[0].incomplete_polls).toBeLessThan(12);
    expect(await changeRows(database)).toEqual([]);
  });
});

describe('the artist as an account sees it', () => {
  const shownTo = async (accountId: string) => {
    const page = await artistList(database).readPage({ accountId: accountId as AccountId, now: clock.now() });
    const items = JSON.parse(page.itemsJson);
    return Object.fromEntries(items.map((item: { platform_id: string }) => [item.platform_id, item]))[ARTIST];
  };
  const at = (ms: number) => new Date(Date.parse(START) + ms).toISOString();

  test('an artist is pending, then active, stale after three intervals without a complete observation, and active again', async () => {
    expect(await shownTo('acc_1')).toMatchObject({
      status: 'pending',
      last_complete_at: null,
      metrics_observed_at: null,
    });
    await replica.pass(5);
    expect(await shownTo('acc_1')).toMatchObject({
      status: 'active',
      last_complete_at: at(0),
      metrics_observed_at: at(0),
      next_read_at: at(15 * MINUTE_MS),
    });
    simulator.setQuirks({ serverError: { probability: 1 } });
    await replica.pass(45 * MINUTE_MS - 5);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'active', stale_reason: null, last_complete_at: at(0) });
    await replica.pass(1);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'stale', last_complete_at: at(0) });
    simulator.setQuirks({});
    await replica.pass(HOUR_MS);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'active', stale_reason: null });
  });

  test.each([
    ['platform_error', { serverError: { probability: 1 } }, 'Deezer did not respond, or responded with an error.'],
    ['rate_limited', { quotaError: { probability: 1 } }, 'Deezer is limiting our requests.'],
    [
      'unclear_response',
      { notJson: { probability: 1 } },
      'The responses from Deezer contradict each other or have an unknown format.',
    ],
    [
      'incomplete_list',
      { emptyList: { probability: 1 }, wrongTotal: { probability: 1 } },
      'Deezer does not return the complete list of releases.',
    ],
  ] as const)(
    'a stale artist shows the cause of its last incomplete observation: %s',
    async (code, quirks, message) => {
      await replica.pass(5);
      simulator.setQuirks(quirks);
      await replica.pass(46 * MINUTE_MS);
      expect(await shownTo('acc_1')).toMatchObject({ status: 'stale', stale_reason: { code, message } });
    },
  );

  test('an artist is stale because of our delay if no poll failed', async () => {
    await replica.pass(5);
    await pool.query("UPDATE artists SET next_poll_at = next_poll_at + interval '1 day'");
    await replica.pass(46 * MINUTE_MS);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'stale', stale_reason: { code: 'not_checked' } });
  });

  test('an artist is merged once the merge is confirmed, and active again when the artist returns', async () => {
    await watchFor();
    simulator.state.changeArtist(ARTIST, { mergedInto: '5000004' });
    await replica.pass(20 * MINUTE_MS);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'active', merged_into: null });
    await replica.pass(40 * MINUTE_MS);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'merged', merged_into: '5000004', stale_reason: null });
    const { name } = simulator.state.known('artist', '5000004');
    expect(await changeRows(database)).toMatchObject([
      { type: 'artist_merged', state: 'confirmed', entity_id: ARTIST, summary: expect.stringContaining(name) },
    ]);
    simulator.state.changeArtist(ARTIST, { mergedInto: undefined });
    await replica.pass(HOUR_MS);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'active', merged_into: null });
  });

  test('an artist is merged after the first poll if the platform never returned the artist itself', async () => {
    simulator.state.changeArtist(ARTIST, { mergedInto: '5000004' });
    await replica.poll();
    expect(await shownTo('acc_1')).toMatchObject({ status: 'merged', merged_into: '5000004' });
    expect(await changeRows(database)).toEqual([]);
  });

  test('an artist is not_found after the first poll if it does not exist', async () => {
    const id = await watching(pool, { accountId: 'acc_1', artistPlatformId: '999', now: clock.now() });
    await replica.poll();
    const page = await artistList(database).readPage({ accountId: 'acc_1' as AccountId, now: clock.now() });
    const items = JSON.parse(page.itemsJson);
    expect(items).toContainEqual(expect.objectContaining({ id, status: 'not_found', last_complete_at: null }));
    // A missing artist is polled less and less often, down to once a day. Another artist would be polled 800 times.
    await pool.query('UPDATE artists SET next_poll_at = NULL WHERE id <> $1', [id]);
    await replica.pass(4 * 24 * HOUR_MS);
    const before = (await artistRow(id)).incomplete_polls;
    await replica.pass(4 * 24 * HOUR_MS);
    expect((await artistRow(id)).incomplete_polls - before).toBeLessThanOrEqual(4);
  });

  test('an artist reveals nothing about earlier or new accounts that watch it', async () => {
    await watchFor(20 * MINUTE_MS);
    await watching(pool, { accountId: 'acc_2', artistPlatformId: ARTIST, plan: 'free', now: clock.now() });
    const sinceMs = clock.now().getTime();
    expect(await shownTo('acc_2')).toMatchObject({
      status: 'pending',
      last_complete_at: null,
      metrics_observed_at: null,
    });
    await replica.pass(20 * MINUTE_MS);
    const first = await shownTo('acc_2');
    expect(first).toMatchObject({ status: 'active', metrics_observed_at: first.last_complete_at });
    expect(Date.parse(first.last_complete_at)).toBeGreaterThanOrEqual(sinceMs);
    // Other accounts cause polls every 15 minutes. A Free account sees one observation a day, as if it were the only
    // one.
    await replica.pass(22 * HOUR_MS);
    expect(await shownTo('acc_2')).toEqual({ ...first, followers: expect.any(Number) });
    await replica.pass(3 * HOUR_MS);
    const second = await shownTo('acc_2');
    expect(Date.parse(second.last_complete_at) - Date.parse(first.last_complete_at)).toBeGreaterThanOrEqual(
      24 * HOUR_MS,
    );
  });

  test('an artist is not_found once its removal is confirmed', async () => {
    await watchFor();
    simulator.state.changeArtist(ARTIST, { removed: true });
    await replica.pass(10 * MINUTE_MS);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'active' });
    await replica.pass(3 * HOUR_MS);
    expect((await changeRows(database)).map(({ type, state }) => [type, state])).toContainEqual([
      'artist_removed',
      'confirmed',
    ]);
    expect(await shownTo('acc_1')).toMatchObject({ status: 'not_found' });
  });

  test('watching and unwatching an artist twelve times in half a minute causes no additional platform requests', async () => {
    const watches = watchStore(database);
    const costOf = async (accountId: AccountId, toggles: number) => {
      await pool.query('TRUNCATE accounts, artists CASCADE');
      await pool.query(`INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $1, 'free', $2)`, [
        accountId,
        clock.now(),
      ]);
      const watch = async () => {
        const now = clock.now();
        await watches
          .watch({ accountId, platform: 'deezer', platformId: ARTIST, now })
          .catch((error: unknown) => expect(error).toBeInstanceOf(PlanLimitReached));
      };
      simulator.requests.clear();
      await watch();
      for (let toggle = 0; toggle < toggles; toggle += 1) {
        // In half of the rounds, the account stops watching while the artist is being polled.
        const polled = replica.poll();
        if (toggle % 2 === 0) await polled;
        const { rows } = await pool.query<{ artist_id: ArtistId }>('SELECT artist_id FROM watches');
        for (const { artist_id: artistId } of rows) await watches.unwatch(accountId, [artistId], clock.now(), OPERATOR);
        await polled;
        clock.advance(2_500);
        await watch();
      }
      await replica.pass(HOUR_MS);
      return simulator.requests.counts().total;
    };
    const once = await costOf('acc_once' as AccountId, 0);
    expect(await costOf('acc_toggling' as AccountId, 12)).toBeLessThanOrEqual(once);
    expect(once).toBeLessThanOrEqual(70);
  });

  test('no change is lost if a watch ends and starts again within the interval', async () => {
    await watchFor(HOUR_MS + MINUTE_MS);
    await pool.query('DELETE FROM watches');
    removed(releases[0]);
    clock.advance(MINUTE_MS);
    await watching(pool, { accountId: 'acc_2', artistPlatformId: ARTIST, now: clock.now() });
    await pool.query(`UPDATE artists SET next_poll_at = last_polled_at + interval '15 minutes' WHERE id = $1`, [
      artistId,
    ]);
    await replica.pass(2 * HOUR_MS);
    expect((await changeRows(database)).filter(({ state }) => state === 'confirmed')).toMatchObject([
      { type: 'release_removed', entity_id: releases[0] },
    ]);
  });
});

describe('detailed reads', () => {
  /** Polls due artists and uses spare requests for detailed reads, like the loops. */
  async function passWithLooks(minutes: number, isOver: () => Promise<boolean> = async () => false): Promise<number> {
    for (let minute = 0; minute < minutes; minute += 1) {
      if (await isOver()) return minute;
      await replica.pass(MINUTE_MS);
      await replica.look();
    }
    return minutes;
  }
  const suspected = (type: string) => async () =>
    (await changeRows(database)).some((change) => change.type === type && change.state === 'suspected');

  test("detailed reads find a changed ISRC within the plan's interval, without delaying list polls", async () => {
    await watchFor();
    await passWithLooks(30);
    const lists = replica.polled.filter(({ due }) => due.closer === undefined).length;
    const [track] = simulator.state.tracksOf(releases.at(-1) ?? '');
    simulator.state.changeTrack(track?.id ?? '', { isrc: 'FRXXX2600001' });
    expect(await passWithLooks(60, suspected('isrc_changed'))).toBeLessThanOrEqual(15);
    replica.polled.length = 0;
    expect(lists).toBeGreaterThanOrEqual(6);
    await replica.pass(HOUR_MS);
    expect((await changeRows(database)).map(({ type, state }) => [type, state])).toEqual([
      ['isrc_changed', 'confirmed'],
    ]);
  });

  test('detailed reads cover all details of every release within the interval, if the budget allows', async () => {
    await watchFor();
    await passWithLooks(16);
    const read = new Set(
      replica.polled.flatMap(({ depth }) => (typeof depth === 'string' ? [] : depth.fullReleaseIds)),
    );
    expect(read).toEqual(new Set(releases));
  });

  test('detailed reads skip artists that are due, new, failing or unwatched', async () => {
    const looks = dueArtists(database, { platform: 'deezer', leaseMs: MINUTE_MS, intervalFactor: 1 });
    const claimed = () => looks.claim('closer', 10, 10, clock.now());
    expect(await claimed()).toEqual([]);
    await replica.poll();
    expect(await claimed()).toEqual([]);
    await watchFor(20 * MINUTE_MS);
    for (const state of ['next_poll_at = $1', 'incomplete_polls = 1', 'next_poll_at = NULL', 'not_found_since = $1']) {
      await pool.query(`UPDATE artists SET ${state} WHERE $1::timestamptz IS NOT NULL`, [clock.now()]);
      expect(await claimed()).toEqual([]);
      await pool.query(
        `UPDATE artists SET next_poll_at = $1, incomplete_polls = 0, not_found_since = NULL, poll_claimed_until = NULL`,
        [new Date(clock.now().getTime() + MINUTE_MS)],
      );
    }
    expect(await claimed()).toHaveLength(1);
  });

  test('failed detailed reads do not count as failed polls and change nothing', async () => {
    await watchFor(20 * MINUTE_MS);
    const before = await artistRow();
    simulator.setQuirks({ serverError: { probability: 1 } });
    await replica.look();
    const { deep_look_at, full_look_at, ...after } = await artistRow();
    expect(after).toMatchObject({ incomplete_polls: 0, poll_claimed_until: null, next_poll_at: before.next_poll_at });
    expect(Math.max(deep_look_at, full_look_at)).toBeGreaterThan(clock.now().getTime());
  });
});

describe('an unchanged artist', () => {
  test('an unchanged artist is settled without its catalogue and without another snapshot', async () => {
    await watchFor();
    const before = await pool.query('SELECT count(*)::int AS n FROM snapshots');
    replica.polled.length = 0;
    await replica.pass(30 * MINUTE_MS);
    expect(replica.polled.map(({ processed }) => processed.settlement.kind)).toContain('unchanged');
    expect((await pool.query('SELECT count(*)::int AS n FROM snapshots')).rows).toEqual(before.rows);
    expect((await artistRow()).last_complete_at).toEqual(
      replica.polled.at(-1)?.processed.reading.observation.observedAt,
    );
  });

  test('an unchanged artist is settled without its catalogue even if one of its releases can never be read', async () => {
    simulator.setQuirks({ noDataError: { probability: 1, paths: `^/album/${releases[0]}` } });
    await replica.pass(6 * HOUR_MS);
    const { rows } = await pool.query('SELECT state FROM baselines');
    const unread = rows[0].state.releases.filter((release: { tracks?: unknown }) => release.tracks == null);
    expect(unread.map(({ platformId }: { platformId: string }) => platformId)).toEqual([releases[0]]);
    replica.polled.length = 0;
    await replica.pass(3 * HOUR_MS);
    expect(replica.polled.map(({ processed }) => processed.settlement.kind)).toContain('unchanged');
    expect(await changeRows(database)).toEqual([]);
  });

  test('one follower count a day is stored for an unchanged artist, and the latest is shown', async () => {
    await watchFor();
    simulator.state.changeArtist(ARTIST, { followers: 4_321 });
    await replica.pass(25 * HOUR_MS);
    expect((await artistRow()).followers).toBe(4_321);
    const { rows } = await pool.query('SELECT day::text, followers FROM artist_metrics ORDER BY day');
    expect(rows.map((row) => row.day)).toEqual(['2026-03-01', '2026-03-02']);
    expect(rows[1].followers).toBe(4_321);
  });
});

describe('a removed release', () => {
  test('a removed release is confirmed after three observations over half an hour, each by two methods', async () => {
    await watchFor();
    const isrcs = simulator.state.tracksOf(releases[0] ?? '').map(({ isrc }) => isrc);
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);

    const [change, ...others] = await changeRows(database);
    expect(others).toEqual([]);
    expect(change).toMatchObject({ type: 'release_removed', state: 'confirmed', entity_id: releases[0] });
    const confirmedAt = change?.confirmed_at?.getTime() ?? 0;
    const detectedAt = change?.detected_at.getTime() ?? 0;
    expect(detectedAt).toBeGreaterThan(new Date(START).getTime() + HOUR_MS);
    expect(confirmedAt - detectedAt).toBe(30 * MINUTE_MS);
    expect(change?.observations).toHaveLength(4);
    expect(change?.observations[0]).toMatchObject({ paths: { listMissing: true, directRead: 'gone' } });
    expect(change?.observations[0]).toMatchObject({ observedAt: change?.detected_at.toISOString() });

    const body = JSON.parse(change?.webhook_body ?? '{}');
    expect(body).toMatchObject({
      event: 'change.confirmed',
      artist_id: artistId,
      artist: simulator.state.known('artist', ARTIST).name,
      entity_id: releases[0],
      entity_name: simulator.state.known('release', releases[0] ?? '').title,
      detected_at: Math.floor(detectedAt / 1000),
    });
    const { label, upc } = simulator.state.known('release', releases[0] ?? '');
    const { rows } = await pool.query("SELECT difference -> 'facts' AS facts FROM changes");
    expect(rows[0].facts).toMatchObject({ label, upc });
    expect(rows[0].facts.tracks.map((track: { isrc: string }) => track.isrc)).toEqual(isrcs.slice(0, 30));
    expect(body).not.toHaveProperty('facts');
    const feed = await pool.query('SELECT account_id, confirmed_at, change_id FROM feed_items');
    expect(feed.rows).toEqual([{ account_id: 'acc_1', confirmed_at: change?.confirmed_at, change_id: body.change_id }]);
    const deliveries = await pool.query('SELECT destination_id, state, change_id FROM deliveries');
    expect(deliveries.rows).toEqual([{ destination_id: 'dst_1', state: 'pending', change_id: body.change_id }]);
  });

  test('a removed release that returns before its confirmation is dismissed, and nothing is reported', async () => {
    await watchFor();
    removed(releases[0]);
    await replica.pass(20 * MINUTE_MS);
    expect(await changeRows(database)).toMatchObject([{ type: 'release_removed', state: 'suspected' }]);
    removed(releases[0], false);
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([
      { state: 'dismissed', dismissed_reason: 'back', webhook_body: null },
    ]);
    expect((await pool.query('SELECT 1 FROM feed_items')).rowCount).toBe(0);
  });

  test('a removed release that returns after its confirmation is reported as restored', async () => {
    await watchFor();
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);
    removed(releases[0], false);
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([
      { type: 'release_removed', state: 'confirmed' },
      { type: 'release_restored', state: 'confirmed', entity_id: releases[0] },
    ]);
  });

  test('a release that is missing from the list but can still be read is not reported', async () => {
    await watchFor();
    simulator.setQuirks({ emptyList: { probability: 1 }, wrongTotal: { probability: 1 } });
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toEqual([]);
  });

  test('a removed release is put on hold if many other releases are removed too', async () => {
    await watchFor();
    const many = releases.slice(0, Math.ceil(releases.length * 0.4));
    for (const id of many) removed(id);
    await replica.pass(HOUR_MS);
    const held = await changeRows(database);
    expect(held).toHaveLength(many.length);
    expect(new Set(held.map(({ state }) => state))).toEqual(new Set(['held']));
    await replica.pass(2 * HOUR_MS);
    const confirmed = await changeRows(database);
    expect(new Set(confirmed.map(({ state }) => state))).toEqual(new Set(['confirmed']));
  });
});

test('if the platform requires a pause, no artist is claimed or polled until it ends', async () => {
  await replica.stop();
  let pauseMs = 1_000;
  replica = new Watching({ database, simulator, clock, pauseMs: () => pauseMs });
  await replica.poll();
  expect(simulator.requests.counts().total).toBe(0);
  expect((await artistRow()).poll_claimed_until).toBeNull();
  pauseMs = 0;
  await replica.poll();
  expect(replica.polled).toHaveLength(1);
});

test('a sudden rise in followers is a change, and a count of 0 is not', async () => {
  await watchFor();
  const { followers } = simulator.state.known('artist', ARTIST);
  await pool.query(
    `INSERT INTO artist_metrics (artist_id, day, followers)
     SELECT $1, $2::date - n, $3 FROM generate_series(1, 28) AS n`,
    [artistId, clock.now(), followers],
  );
  simulator.setQuirks({ zeroFollowers: 1 });
  await replica.pass(2 * HOUR_MS);
  expect(await changeRows(database)).toEqual([]);
  expect((await artistRow()).followers).toBe(followers);
  simulator.setQuirks({});
  simulator.state.changeArtist(ARTIST, { followers: followers + Math.max(2_000, followers) });
  await replica.pass(2 * HOUR_MS);
  expect(await changeRows(database)).toMatchObject([{ type: 'followers_spike', state: 'confirmed' }]);
  await replica.pass(48 * HOUR_MS);
  expect(await changeRows(database)).toHaveLength(1);
});

describe('a change that only a detailed read shows', () => {
  test('a change that only a detailed read shows is found by the rotation within a day, and confirmed soon after', async () => {
    await watchFor();
    const id = releases[1] ?? '';
    const [track] = simulator.state.tracksOf(id);
    simulator.state.changeRelease(id, { label: 'Another Label' });
    simulator.state.changeTrack(track?.id ?? '', { isrc: 'USABC2600001' });
    await replica.pass(25 * HOUR_MS);
    const changes = await changeRows(database);
    expect(changes.map(({ type, state }) => [type, state])).toEqual([
      ['isrc_changed', 'confirmed'],
      ['label_changed', 'confirmed'],
    ]);
    for (const { detected_at, confirmed_at } of changes) {
      expect((confirmed_at?.getTime() ?? 0) - detected_at.getTime()).toBe(10 * MINUTE_MS);
    }
  });

  test('a change is found by detailed reads even if another release of the artist can never be read', async () => {
    await watchFor();
    simulator.setQuirks({ noDataError: { probability: 1, paths: `^/album/${releases[0]}` } });
    simulator.state.changeRelease(releases[1] ?? '', { label: 'Another Label' });
    await replica.pass(25 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([
      { type: 'label_changed', state: 'confirmed', entity_id: releases[1] },
    ]);
    expect(replica.polled.map(({ processed }) => processed.settlement.kind)).not.toContain('incomplete');
    // The release is requested a few more times in the rotation, then not again until the next rotation.
    const asked = Object.entries(simulator.requests.counts().byPath).find(([path]) => path === `/album/${releases[0]}`);
    expect(asked?.[1]).toBeLessThan(30);
  });

  test('an added release is one change, and its tracks are known from then on', async () => {
    await watchFor();
    const added = simulator.additions.addRelease({ artistId: ARTIST, title: 'New', tracks: 3 });
    await replica.pass(HOUR_MS);
    expect(await changeRows(database)).toMatchObject([
      { type: 'release_added', state: 'confirmed', entity_id: added.id },
    ]);
    const [track] = simulator.state.tracksOf(added.id);
    simulator.state.changeTrack(track?.id ?? '', { removed: true });
    await replica.pass(25 * HOUR_MS);
    expect((await changeRows(database)).map(({ type, state }) => [type, state])).toContainEqual([
      'track_removed',
      'confirmed',
    ]);
  });

  test('a release that returns under a different id is a replacement, not a removal', async () => {
    await watchFor();
    const old = simulator.state.known('release', releases[2] ?? '');
    removed(old.id);
    simulator.additions.addRelease({ artistId: ARTIST, title: old.title, upc: old.upc });
    await replica.pass(2 * HOUR_MS);
    const confirmed = (await changeRows(database)).filter(({ state }) => state === 'confirmed');
    expect(confirmed.map(({ type }) => type)).toEqual(['release_replaced']);
  });

  test("a release whose old id returns the new release is a replacement, and the artist's interval does not change", async () => {
    await watchFor();
    const old = simulator.state.known('release', releases[2] ?? '');
    removed(old.id);
    const { id } = simulator.additions.addRelease({ artistId: ARTIST, title: old.title, upc: old.upc });
    simulator.state.changeRelease(old.id, { relinkedTo: id });
    await replica.pass(2 * HOUR_MS);
    const confirmed = (await changeRows(database)).filter(({ state }) => state === 'confirmed');
    expect(confirmed.map(({ type, entity_id }) => [type, entity_id])).toEqual([['release_replaced', old.id]]);
    expect(await readsIn(2 * HOUR_MS)).toBe(8);
  });

  test("a release whose id returns a different release is not reported and does not change the artist's interval", async () => {
    await watchFor();
    removed(releases[2]);
    simulator.state.changeRelease(releases[2] ?? '', { relinkedTo: releases[3] });
    await replica.pass(HOUR_MS);
    expect(await readsIn(2 * HOUR_MS)).toBe(8);
    expect(await changeRows(database)).toEqual([]);
  });

  test('a suspicion about a release whose id now returns another one causes no extra polls, and few snapshots', async () => {
    await watchFor();
    removed(releases[2]);
    await replica.pass(15 * MINUTE_MS);
    simulator.state.changeRelease(releases[2] ?? '', { relinkedTo: releases[3] });
    expect(await readsIn(2 * HOUR_MS)).toBe(8);
    const snapshots = async () => (await pool.query('SELECT 1 FROM snapshots')).rowCount;
    const kept = await snapshots();
    expect(await readsIn(6 * HOUR_MS)).toBe(24);
    expect(await snapshots()).toBe(kept);
    expect(await changeRows(database)).toMatchObject([{ type: 'release_removed', state: 'suspected' }]);
  });

  test("an artist's removal and return are one change each", async () => {
    await watchFor();
    simulator.state.changeArtist(ARTIST, { removed: true });
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([{ type: 'artist_removed', state: 'confirmed' }]);
    simulator.state.changeArtist(ARTIST, { removed: false });
    await replica.pass(2 * HOUR_MS);
    expect((await changeRows(database)).map(({ type, state }) => [type, state])).toEqual([
      ['artist_removed', 'confirmed'],
      ['artist_restored', 'confirmed'],
    ]);
  });
});
