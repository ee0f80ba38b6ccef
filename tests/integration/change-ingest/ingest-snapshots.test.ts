import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { beforeEach, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createIngestFixture, openTestDatabase, TOKEN, watching } from './ingest-fixture.js';
import { changeRows, Watching } from './watching-fixture.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
onEnd(() => database.close());
const clock = new TestClock();
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'reported', artists: 3, clock });
onEnd(() => simulator.stop());
const replica = new Watching({ database, simulator, clock });
onEnd(() => replica.stop());
const ingest = createIngestFixture(database, clock, replica.intake);

const MINUTE_MS = 60_000;

beforeEach(async () => {
  clock.set('2026-03-01T12:00:00.000Z');
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries CASCADE');
});

const release = (n: number, over: Record<string, unknown> = {}) => ({
  platform_id: `r${n}`,
  title: `Title ${n}`,
  ...over,
});
const FULL = Array.from({ length: 10 }, (_, n) =>
  release(n, { tracks: [{ platform_id: `t${n}`, title: `Track ${n}` }] }),
);

const snapshot = (over: Record<string, unknown> = {}) => ({
  platform: 'deezer',
  artist_platform_id: '27',
  observed_at: clock.now().toISOString(),
  artist: { name: 'Daft Punk', followers: 1_000 },
  releases: FULL,
  ...over,
});

async function report(over: Record<string, unknown> = {}) {
  const response = await supertest(ingest.app)
    .post('/ingest/v1/snapshots')
    .set('Authorization', `Bearer ${TOKEN}`)
    .send(snapshot(over));
  return response.status === 202 ? response.body : [response.status, response.body.error.code];
}

const nothing = { suspected: 0, confirmed: 0, dismissed: 0 };

describe('a reported snapshot', () => {
  test('a snapshot of an unknown artist creates the artist without a watch, and becomes its baseline', async () => {
    expect(await report()).toEqual({ outcome: 'baseline', ...nothing });
    expect((await pool.query('SELECT name, followers, next_poll_at FROM artists')).rows).toEqual([
      { name: 'Daft Punk', followers: 1_000, next_poll_at: null },
    ]);
  });

  test('a snapshot with the same content in a different order and with unknown fields changes nothing', async () => {
    await report();
    clock.advance(MINUTE_MS);
    const releases = FULL.toReversed().map((one) => ({ ...one, label: null, tracks: undefined }));
    expect(await report({ releases })).toEqual({ outcome: 'compared', ...nothing });
  });

  test('a changed title is confirmed if two snapshots in a row show it', async () => {
    await report();
    const releases = [release(0, { title: 'Another' }), ...FULL.slice(1)];
    clock.advance(MINUTE_MS);
    expect(await report({ releases })).toEqual({ outcome: 'compared', ...nothing, suspected: 1 });
    const detectedAt = clock.now();
    clock.advance(MINUTE_MS);
    expect(await report({ releases })).toEqual({ outcome: 'compared', ...nothing, confirmed: 1 });
    expect(await changeRows(database)).toMatchObject([
      { type: 'release_title_changed', state: 'confirmed', detected_at: detectedAt, confirmed_at: clock.now() },
    ]);
    clock.advance(MINUTE_MS);
    expect(await report({ releases })).toEqual({ outcome: 'compared', ...nothing });
  });

  test('a snapshot confirms a removal only if it includes the direct read', async () => {
    await report();
    const releases = FULL.slice(1);
    for (const minutes of [0, 20, 40]) {
      clock.advance(minutes * MINUTE_MS + 1);
      expect(await report({ releases })).toEqual({ outcome: 'compared', ...nothing });
    }
    for (const expected of [{ suspected: 1 }, { suspected: 1 }, { confirmed: 1 }]) {
      clock.advance(15 * MINUTE_MS);
      expect(await report({ releases, gone: { release_ids: ['r0'] } })).toEqual({
        outcome: 'compared',
        ...nothing,
        ...expected,
      });
    }
    expect(await changeRows(database)).toMatchObject([
      { type: 'release_removed', state: 'confirmed', entity_id: 'r0' },
    ]);
  });

  test('a snapshot in which many releases lose a market causes one change to the artist, in the database and the webhook', async () => {
    await report();
    const sold = (markets: readonly string[]) => FULL.map((one) => ({ ...one, markets }));
    clock.advance(MINUTE_MS);
    await report({ releases: sold(['DE', 'FR', 'RU']) });
    for (const expected of [{ suspected: 1 }, { suspected: 1 }, { confirmed: 1 }]) {
      clock.advance(15 * MINUTE_MS);
      const answer = await report({ releases: sold(['DE', 'FR']) });
      expect(answer).toEqual({ outcome: 'compared', ...nothing, ...expected });
    }
    const summary = '10 of 10 releases by Daft Punk are no longer available in 1 market: RU.';
    const { rows } = await pool.query('SELECT type, state, entity_type, entity_id, entity_name, summary FROM changes');
    const about = { entity_type: 'artist', entity_id: '27', entity_name: 'Daft Punk', summary };
    expect(rows).toEqual([{ type: 'availability_reduced', state: 'confirmed', ...about }]);
    const [change] = await changeRows(database);
    expect(JSON.parse(change?.webhook_body ?? '{}')).toMatchObject({ change_type: 'availability_reduced', ...about });
    const evidence = { markets: ['RU'], releases: FULL.map(({ platform_id }) => ({ platformId: platform_id })) };
    expect(change?.observations).toMatchObject([{ seen: evidence }, { seen: evidence }, { seen: evidence }]);
    clock.advance(15 * MINUTE_MS);
    expect(await report({ releases: sold(['DE', 'FR']) })).toEqual({ outcome: 'compared', ...nothing });
  });

  test('an incomplete snapshot is stored, but never compared', async () => {
    await report();
    clock.advance(MINUTE_MS);
    expect(await report({ complete: false, releases: [] })).toEqual({ outcome: 'incomplete', ...nothing });
    const { rows } = await pool.query('SELECT complete FROM snapshots ORDER BY observed_at');
    expect(rows.map(({ complete }) => complete)).toEqual([true, false]);
  });

  test('a snapshot that is not newer than the last processed one is stale', async () => {
    await report();
    expect(await report({ releases: [] })).toEqual({ outcome: 'stale', ...nothing });
    expect(await report({ observed_at: '2026-02-01T00:00:00Z', releases: [] })).toEqual({
      outcome: 'stale',
      ...nothing,
    });
  });

  test('a snapshot that raises a suspicion brings the next poll of a watched artist forward, but does not replace it', async () => {
    const [artist] = simulator.state.artists();
    const id = artist?.id ?? '';
    await watching(pool, { accountId: 'acc_1', artistPlatformId: id, now: clock.now() });
    await replica.pass(MINUTE_MS);
    const due = async () => (await pool.query<{ at: Date }>('SELECT next_poll_at AS at FROM artists')).rows[0]?.at;
    const before = await due();
    const releases = simulator.state.releasesOf(id).map((one) => ({ platform_id: one.id, title: one.title }));
    clock.advance(MINUTE_MS);
    await report({ artist_platform_id: id, artist: {}, releases });
    expect(await due()).toEqual(before);
    clock.advance(MINUTE_MS);
    const renamed = releases.map((one, index) => (index === 0 ? { ...one, title: 'Renamed' } : one));
    expect(await report({ artist_platform_id: id, artist: {}, releases: renamed })).toMatchObject({ suspected: 1 });
    expect(await due()).toEqual(new Date(clock.now().getTime() + 10 * MINUTE_MS));
    await replica.pass(15 * MINUTE_MS);
    expect(await changeRows(database)).toMatchObject([{ state: 'dismissed', dismissed_reason: 'back' }]);
  });

  test.each([
    ['another platform', { platform: 'spotify' }],
    ['a missing list', { releases: undefined }],
    ['a repeated release', { releases: [release(1), release(1)] }],
    ['a repeated track', { releases: [release(1, { tracks: [{ platform_id: 't' }, { platform_id: 't' }] })] }],
    ['a time in the future', { observed_at: '2026-03-01T12:02:00Z' }],
    ['an unknown field', { releses: [] }],
    ['a NUL', { releases: [release(1, { title: 'a\0' })] }],
  ])('a snapshot with %s is rejected', async (_what, over) => {
    expect(await report(over)).toEqual([400, 'invalid_input']);
    expect((await pool.query('SELECT 1 FROM artists')).rowCount).toBe(0);
  });
});
