import { makeDifference } from '@artist-watch/domain/change/difference';
import { firstBaseline, serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal), {
  CONFIRM_SPAN: '30m',
  CONFIRM_INTERVAL: '10m',
});

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const ago = (ms: number) => new Date(Date.now() - ms);

async function seedBaseline(artistId: string): Promise<void> {
  const unknown = { artworkId: undefined, label: undefined, upc: undefined, explicit: undefined, credits: undefined };
  const release = (platformId: string, releaseDate: string | undefined, tracks: string[] | undefined) => ({
    ...{ ...unknown, platformId, title: `Release ${platformId}`, type: 'album', releaseDate, markets: [] },
    tracks: tracks?.map((id, index) => ({
      platformId: id,
      title: `Track ${id}`,
      isrc: undefined,
      position: index + 1,
      explicit: undefined,
      credits: [{ platformId: undefined, name: 'Guest' }],
    })),
  });
  const state = firstBaseline({
    artist: { platformId: '1', name: 'Nina Vale', imageId: undefined, followers: 1, monthlyListeners: undefined },
    releases: [release('1', undefined, undefined), release('2', '2024', []), release('3', '2025-01-02', ['31', '32'])],
  });
  await pool.query(`INSERT INTO baselines (artist_id, state, digest, updated_at) VALUES ($1, $2, '', now())`, [
    artistId,
    JSON.stringify(serialiseBaseline(state)),
  ]);
}

async function seedCheck(artistId: string, entityId: string, minutesAgo: readonly number[], held = false) {
  const difference = makeDifference({ type: 'release_removed', entityId, entityName: `Release ${entityId}` });
  const observations = minutesAgo.map((minutes) => ({
    observedAt: ago(minutes * MINUTE_MS),
    paths: { listMissing: true, directRead: 'gone' as const },
    seen: null,
    snapshotId: null,
  }));
  await pool.query(
    `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary, detected_at,
                          difference_key, difference, observations)
     VALUES (new_id('chg', $2), $1, $3, 'release_removed', 'critical', 'release', $4, 'x', 'x', $2, $5, $6, $7)`,
    [
      artistId,
      observations[0]?.observedAt,
      held ? 'held' : 'suspected',
      entityId,
      difference.key,
      JSON.stringify(difference),
      JSON.stringify(observations),
    ],
  );
}

async function seedDays(artistId: string, days: readonly [daysAgo: number, readings: number][]): Promise<void> {
  for (const [daysAgo, readings] of days) {
    await pool.query(
      `WITH metric AS (INSERT INTO artist_metrics (artist_id, day, followers) VALUES ($1, $2::date, $3))
       INSERT INTO artist_days (artist_id, day, readings, complete_readings, releases, tracks)
       VALUES ($1, $2::date, $4, $4, 3, 2)`,
      [
        artistId,
        ago(daysAgo * DAY_MS)
          .toISOString()
          .slice(0, 10),
        1_000 + daysAgo,
        readings,
      ],
    );
  }
}

async function watchedFor(accountId: string, ms: number): Promise<void> {
  await pool.query('UPDATE watches SET created_at = $2 WHERE account_id = $1', [accountId, ago(ms)]);
}

test('a watched artist is shown with its counts, releases and suspected changes', async () => {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId, { lastCompleteAt: ago(MINUTE_MS) });
  await watchedFor(accountId, DAY_MS);
  await seedBaseline(artistId);
  await seedFeed(pool, accountId, artistId, [ago(MINUTE_MS), ago(2 * MINUTE_MS)]);
  await seedCheck(artistId, '9', [12, 2]);
  await seedCheck(artistId, '10', [1], true);
  const get = async (part: string) => (await api.call(`/v1/artists/${artistId}${part}`, { key })).body;

  expect(await get('')).toMatchObject({
    id: artistId,
    status: 'active',
    counts: { releases: 3, tracks: 2, changes: 2, checks: 2 },
  });

  const page = await get('/releases?limit=2');
  expect(page.data).toMatchObject([
    {
      platform_id: '3',
      platform_url: 'https://www.deezer.com/album/3',
      markets: null,
      label: null,
      tracks: [
        { platform_id: '31', position: 1, credits: [{ platform_id: null, name: 'Guest' }] },
        { platform_id: '32', platform_url: 'https://www.deezer.com/track/32', isrc: null },
      ],
    },
    { platform_id: '2', tracks: [] },
  ]);
  const rest = await get(`/releases?cursor=${page.next_cursor}`);
  expect(rest).toMatchObject({ data: [{ platform_id: '1', release_date: null, tracks: null }], next_cursor: null });

  const checks = await get('/checks?limit=1');
  const [first] = checks.data;
  const since = Date.parse(first.detected_at);
  expect(first).toMatchObject({ state: 'suspected', entity_id: '9', observations: { counted: 2, needed: 3 } });
  expect(Date.parse(first.certain_at)).toBe(since + 30 * MINUTE_MS);
  expect(first.summary).toMatch(
    /^Missing since .* UTC \(2 of 3 required observations\)\. Earliest possible confirmation: .* UTC\.$/,
  );
  expect(await get(`/checks?cursor=${checks.next_cursor}`)).toMatchObject({
    data: [{ state: 'held', entity_id: '10', observations: { counted: 1, needed: 5 } }],
    next_cursor: null,
  });
});

test("daily numbers start when the account began watching the artist, but not before the plan's history period", async () => {
  const { accountId, key } = await seedAccount(pool, 'starter');
  const artistId = await seedWatchedArtist(pool, accountId);
  await watchedFor(accountId, 40 * DAY_MS);
  await seedDays(artistId, [
    [50, 1],
    [35, 1],
    [20, 96],
    [1, 2],
  ]);
  const days = async (query = '') => api.call(`/v1/artists/${artistId}/metrics${query}`, { key });
  const all = await days();
  // Of that day's 96 observations, the plan includes four. The rest were made for other accounts.
  expect(all.body.data).toMatchObject([
    { followers: 1_020, monthly_listeners: null, releases: 3, tracks: 2, readings: 4, complete_readings: 4 },
    { followers: 1_001, readings: 2 },
  ]);
  const clamped = await days('?since=2020-01-01T00:00:00Z');
  expect(clamped.body.data).toHaveLength(2);
  expect(clamped.headers['x-history-since']).toBeDefined();
  expect((await days(`?since=${ago(2 * DAY_MS).toISOString()}`)).body.data).toHaveLength(1);
});

test('no response reveals that another account already watched the artist', async () => {
  const [old, fresh] = [await seedAccount(pool), await seedAccount(pool)];
  const artistId = await seedWatchedArtist(pool, old.accountId, { lastCompleteAt: new Date() });
  await watchedFor(old.accountId, DAY_MS);
  await seedBaseline(artistId);
  await seedDays(artistId, [[1, 96]]);
  await seedCheck(artistId, '9', [12, 2]);
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at) VALUES (new_id('wat', now()), $1, $2, now())`,
    [fresh.accountId, artistId],
  );
  const get = async (part: string) => (await api.call(`/v1/artists/${artistId}${part}`, fresh)).body;
  expect(await get('')).toMatchObject({ counts: { releases: null, tracks: null, changes: 0, checks: 0 } });
  for (const part of ['/releases', '/metrics', '/checks']) {
    expect([part, await get(part)]).toEqual([part, { data: [], next_cursor: null }]);
  }
});

test("another account's artist and an invalid id return the same 404 as an artist that does not exist", async () => {
  const { accountId } = await seedAccount(pool);
  const foreign = await seedWatchedArtist(pool, accountId);
  const stranger = await seedAccount(pool);
  for (const part of ['', '/releases', '/metrics', '/checks']) {
    for (const id of [foreign, `art_${'0'.repeat(32)}`, '27']) {
      const { status, body } = await api.call(`/v1/artists/${id}${part}`, stranger);
      expect([part, status, body.error]).toEqual([
        part,
        404,
        { code: 'not_found', message: 'There is no such artist.' },
      ]);
    }
  }
});
