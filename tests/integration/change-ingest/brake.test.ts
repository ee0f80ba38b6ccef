import { useSuite } from '@artist-watch/harness/suite';
import type { TestClock } from '@artist-watch/harness/test-clock';
import type { PlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cliEnvironment, createTestCli } from '../cli/run-cli.js';
import { openTestDatabase, watching } from './ingest-fixture.js';
import { ARTIST, watchOneArtist } from './watched-artist.js';
import { changeRows, Watching } from './watching-fixture.js';

const { databaseUrl, pool } = await useSuite();
const database = openTestDatabase(databaseUrl);
afterAll(() => database.close());
const cli = createTestCli(await cliEnvironment());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OTHER = '5000001';

let simulator: PlatformSimulator;
let clock: TestClock;
let replica: Watching;
let artistId: string;
let releases: string[];
/** The brake applies to more than 30% of the releases. */
let many: string[];

beforeEach(async () => {
  ({ simulator, clock, replica, artistId, releases } = await watchOneArtist(database));
  many = releases.slice(0, Math.ceil(releases.length * 0.4));
  await replica.pass(HOUR_MS);
});
afterEach(async () => {
  await replica.stop();
  await simulator.stop();
});

const remove = (ids: readonly string[], removed = true) => {
  for (const id of ids) simulator.state.changeRelease(id, { removed });
};
const states = async () => (await changeRows(database)).map(({ state }) => state);
const count = async (table: string) => (await pool.query(`SELECT 1 FROM ${table}`)).rowCount;

interface Decided {
  readonly released?: number;
  readonly dismissed?: number;
  readonly confirmed?: number;
  readonly changes: readonly { readonly id: string; readonly state: string; readonly confirmed_at: string | null }[];
}
interface Shown {
  readonly confirmed_at: string;
  readonly detected_at: string;
  readonly observations: readonly Record<string, unknown>[];
}
const show = (id: string) => cli.json<Shown>('change', 'show', '--id', id);
const held = async () => (await cli.json<{ data: readonly Record<string, unknown>[] }>('brake', 'list')).data;

/** After this time, all changes are on hold. */
async function givenHeld(minutes: number): Promise<void> {
  remove(many);
  await replica.pass(minutes * MINUTE_MS);
  expect(new Set(await states())).toEqual(new Set(['held']));
}

describe('a removal on hold', () => {
  test('a removal on hold is listed with its artist, its start and the cause', async () => {
    await givenHeld(20);
    const listed = await held();
    expect(listed.map(({ entity_id }) => entity_id).sort()).toEqual([...many].sort());
    expect(listed[0]).toMatchObject({
      type: 'release_removed',
      artist_id: artistId,
      artist: simulator.state.known('artist', ARTIST).name,
      artist_platform_id: ARTIST,
      held_by: 'artist',
      observations: expect.any(Number),
    });
    expect(listed[0]?.held_at).toEqual(listed[0]?.detected_at);
    const ofNobody = await watching(pool, { accountId: 'acc_1', artistPlatformId: OTHER, now: clock.now() });
    expect(await cli.json('brake', 'list', '--artist', ofNobody)).toEqual({ data: [], next_cursor: null });
  });

  test('a removal that is taken off hold early is later confirmed by the normal rule, and not put on hold again', async () => {
    await givenHeld(15);
    const decided = await cli.json<Decided>('brake', 'release', '--artist', artistId);
    expect(decided).toMatchObject({ released: many.length, confirmed: 0 });
    expect(new Set(await states())).toEqual(new Set(['suspected']));
    await replica.pass(HOUR_MS);
    const confirmed = await changeRows(database);
    expect(confirmed).toHaveLength(many.length);
    for (const { state, detected_at, confirmed_at } of confirmed) {
      expect(state).toBe('confirmed');
      const spanMs = (confirmed_at?.getTime() ?? 0) - detected_at.getTime();
      expect(spanMs).toBeGreaterThanOrEqual(30 * MINUTE_MS);
      expect(spanMs).toBeLessThan(HOUR_MS);
    }
  });

  test('a removal that is taken off hold after enough observations is confirmed and reported immediately, once', async () => {
    await givenHeld(60);
    const [one, ...others] = await held();
    const before = new Date();
    const decided = await cli.json<Decided>('brake', 'release', '--change', String(one?.id), '--by', 'Ada');
    const confirmedAt = new Date(decided.changes[0]?.confirmed_at ?? 0);
    expect(decided).toMatchObject({ released: 1, confirmed: 1, changes: [{ id: one?.id, state: 'confirmed' }] });
    expect(confirmedAt.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1_000);
    expect((await show(String(one?.id))).confirmed_at).toBe(confirmedAt.toISOString());
    const feed = await pool.query('SELECT change_id, confirmed_at FROM feed_items');
    expect(feed.rows).toEqual([{ change_id: one?.id, confirmed_at: confirmedAt }]);
    const deliveries = await pool.query('SELECT change_id, state FROM deliveries');
    expect(deliveries.rows).toEqual([{ change_id: one?.id, state: 'pending' }]);
    const [row] = (await changeRows(database)).filter(({ state }) => state === 'confirmed');
    expect(JSON.parse(row?.webhook_body ?? '{}')).toMatchObject({ change_id: one?.id, entity_id: one?.entity_id });

    expect((await held()).map(({ id }) => id)).toEqual(others.map(({ id }) => id));
    await cli.json('brake', 'release', '--all');
    await replica.pass(3 * HOUR_MS);
    expect(await states()).toEqual(many.map(() => 'confirmed'));
    expect(await count('deliveries')).toBe(many.length);
    remove(many.slice(0, 1), false);
    await replica.pass(3 * HOUR_MS);
    expect((await changeRows(database)).at(-1)).toMatchObject({ type: 'release_restored', state: 'confirmed' });
  });

  test('a dismissed removal stays dismissed until the release returns, even if another replica polls the artist', async () => {
    await givenHeld(20);
    const decided = await cli.json<Decided>('brake', 'dismiss', '--artist', artistId, '--reason', 'It is their error.');
    expect(decided.dismissed).toBe(many.length);
    expect(await held()).toEqual([]);
    await replica.pass(3 * HOUR_MS);
    await replica.stop();
    replica = new Watching({ database, simulator, clock });
    await replica.pass(26 * HOUR_MS);
    expect(await states()).toEqual(many.map(() => 'dismissed'));
    expect(await count('feed_items')).toBe(0);

    remove(many, false);
    await replica.pass(HOUR_MS);
    expect(await states()).toEqual(many.map(() => 'dismissed'));
    remove(many.slice(0, 1));
    await replica.pass(2 * HOUR_MS);
    const [again, ...rest] = (await changeRows(database)).filter(({ state }) => state !== 'dismissed');
    expect(again).toMatchObject({ type: 'release_removed', state: 'confirmed', entity_id: many[0] });
    expect(rest).toEqual([]);
  });

  test('dismissed removals do not hide releases that disappear later', async () => {
    await givenHeld(20);
    await cli.json('brake', 'dismiss', '--all');
    const [later] = releases.slice(many.length);
    remove([String(later)]);
    await replica.pass(2 * HOUR_MS);
    expect((await changeRows(database)).filter(({ state }) => state !== 'dismissed')).toMatchObject([
      { type: 'release_removed', state: 'confirmed', entity_id: later },
    ]);
  });

  test('the history of a removal shows its observations, the hold, and who decided when and why', async () => {
    await givenHeld(60);
    const [one] = await held();
    await cli.json('brake', 'release', '--all', '--by', 'Ada', '--reason', 'The label left the platform.');
    const { observations, detected_at } = await show(String(one?.id));
    const counted = observations.filter(({ kind }) => kind === 'counted');
    expect(counted.length).toBeGreaterThanOrEqual(3);
    expect(counted[0]).toMatchObject({
      observedAt: detected_at,
      complete: true,
      paths: { listMissing: true, directRead: 'gone' },
      seen: null,
      text: expect.stringContaining('When we looked it up directly, it did not exist.'),
    });
    expect(observations.filter(({ kind }) => kind === 'held')).toMatchObject([{ observedAt: detected_at }]);
    expect(observations.at(-1)).toMatchObject({
      kind: 'released',
      by: 'Ada',
      reason: 'The label left the platform.',
      text: 'Released by Ada: The label left the platform.',
    });
    for (const { snapshotId } of counted) {
      const { rows } = await pool.query('SELECT complete FROM snapshots WHERE id = $1', [snapshotId]);
      expect(rows).toEqual([{ complete: true }]);
    }
  });

  test('a removal on hold is decided once, even by several concurrent decisions during a poll', async () => {
    await givenHeld(60);
    const nextPollAt = clock.advance(30 * MINUTE_MS);
    await pool.query('UPDATE artists SET next_poll_at = $1', [nextPollAt]);
    const decisions = await Promise.all([
      cli.json<Decided>('brake', 'release', '--all'),
      cli.json<Decided>('brake', 'dismiss', '--all'),
      cli.json<Decided>('brake', 'release', '--artist', artistId),
      replica.poll(),
    ]);
    const ids = decisions.flatMap((decided) => decided?.changes.map(({ id }) => id) ?? []);
    expect(ids).toHaveLength(many.length);
    expect(new Set(ids).size).toBe(many.length);
    await replica.pass(3 * HOUR_MS);
    expect(replica.failures).toEqual([]);
    const settled = await changeRows(database);
    expect(settled).toHaveLength(many.length);
    const reported = settled.filter(({ state }) => state === 'confirmed').length;
    expect([await count('feed_items'), await count('deliveries')]).toEqual([reported, reported]);
    expect(await held()).toEqual([]);
  });

  test.each([
    [['brake', 'release'], 'Name the changes with one of --change, --artist and --all.\n'],
    [
      ['brake', 'dismiss', '--all', '--artist', 'art_0'],
      'Name the changes with one of --change, --artist and --all.\n',
    ],
    [['brake', 'release', '--change', 'chg_0'], 'There is no such change.\n'],
    [['brake', 'dismiss', '--artist', 'art_0'], 'There is no such artist.\n'],
    [['brake', 'list', '--artist', 'art_0'], 'There is no such artist.\n'],
  ])('the command %j is rejected with one sentence', async (args, sentence) => {
    expect(await cli.refusal(...args)).toBe(sentence);
  });

  test('only changes on hold can be released or dismissed', async () => {
    remove(releases.slice(0, 1));
    await replica.pass(20 * MINUTE_MS);
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM changes');
    expect(await cli.refusal('brake', 'release', '--change', rows[0]?.id ?? '')).toBe(
      'This change is not on hold. Its state is suspected.\n',
    );
    expect(await cli.json('brake', 'dismiss', '--all')).toEqual({ dismissed: 0, changes: [] });
  });
});
