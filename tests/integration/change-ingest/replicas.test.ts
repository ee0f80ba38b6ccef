import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { dueArtists } from '@artist-watch/persistence/polling/due-artists';
import { type PlatformSimulator, startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { destinationOf, openTestDatabase, watching } from './ingest-fixture.js';
import { changeRows, Watching } from './watching-fixture.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const databases = [openTestDatabase(databaseUrl), openTestDatabase(databaseUrl)] as const;
onEnd(() => Promise.all(databases.map((database) => database.close())));

const MINUTE_MS = 60_000;
const ARTISTS = 12;

let simulator: PlatformSimulator;
let clock: TestClock;
let replicas: [Watching, Watching];

beforeEach(async () => {
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries CASCADE');
  clock = new TestClock('2026-03-01T12:00:00.000Z');
  simulator = await startPlatformSimulator({
    platform: 'deezer',
    seed: 'replicas',
    artists: ARTISTS,
    budget: 'unlimited',
    clock,
  });
  replicas = [
    new Watching({ database: databases[0], simulator, clock, concurrency: 4 }),
    new Watching({ database: databases[1], simulator, clock, concurrency: 4 }),
  ];
  for (const { id } of simulator.state.artists()) {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: id, now: clock.now() });
  }
  await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await simulator.stop();
});

const count = async (table: string) =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n;

/** All replicas poll at the same time, once per minute. */
async function passTogether(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.advance(MINUTE_MS);
    await Promise.all(replicas.map((replica) => replica.poll()));
  }
}

function removeOneEach(): void {
  for (const { id } of simulator.state.artists()) {
    const releases = simulator.state.releasesOf(id);
    const [first] = releases;
    if (first && releases.length > 3) simulator.state.changeRelease(first.id, { removed: true });
  }
}

const WRITTEN = ['artists', 'baselines', 'changes', 'snapshots', 'artist_metrics', 'feed_items', 'deliveries'];

/** The server ends the connection at every nth write of its client. */
async function cutEveryNthStatement(nth: number): Promise<void> {
  await pool.query(`
    CREATE SEQUENCE statements;
    CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('statements') % ${nth} = 0 THEN RAISE EXCEPTION 'cut' USING ERRCODE = 'admin_shutdown'; END IF;
        RETURN NULL;
      END $$`);
  for (const table of WRITTEN) {
    await pool.query(`CREATE TRIGGER cut AFTER INSERT OR UPDATE ON ${table} EXECUTE FUNCTION cut()`);
  }
}

async function neverCut(): Promise<void> {
  for (const table of WRITTEN) await pool.query(`DROP TRIGGER cut ON ${table}`);
}

describe('two replicas', () => {
  test('two replicas poll every artist exactly once each time it is due, and share the work', async () => {
    await passTogether(31);
    const readings = replicas.flatMap(({ polled }) =>
      polled.map(({ due, processed }) => `${due.platformId} ${processed.reading.observation.observedAt.toISOString()}`),
    );
    expect(new Set(readings).size).toBe(readings.length);
    for (const { polled } of replicas) expect(polled.length).toBeGreaterThan(0);
    expect(replicas.flatMap(({ failures }) => failures)).toEqual([]);
  });

  test('two replicas confirm each removal once, with one feed row and one delivery', async () => {
    await passTogether(3);
    removeOneEach();
    await passTogether(4 * 60);
    const changes = await changeRows(databases[0]);
    expect(new Set(changes.map(({ state, type }) => `${state} ${type}`))).toEqual(
      new Set(['confirmed release_removed']),
    );
    expect(new Set(changes.map(({ entity_id }) => entity_id)).size).toBe(changes.length);
    expect(changes.length).toBeGreaterThan(8);
    expect(await count('feed_items')).toBe(changes.length);
    expect(await count('deliveries')).toBe(changes.length);
  });

  test('two replicas cause no harm if both poll an artist because a claim expired', async () => {
    const [first, second] = replicas;
    await passTogether(3);
    const [artist] = simulator.state.artists();
    const [release] = simulator.state.releasesOf(artist?.id ?? '');
    simulator.state.changeRelease(release?.id ?? '', { title: 'Another title' });
    await pool.query('UPDATE artists SET next_poll_at = $1 WHERE platform_id = $2', [clock.now(), artist?.id]);
    simulator.setQuirks({ slow: { probability: 1, delayMs: 300, paths: `^/artist/${artist?.id}`, times: 2 } });
    const slow = first.poll();
    while (first.poller.underWay === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2 * MINUTE_MS);
    await Promise.all([slow, second.poll()]);
    expect([first.failures, second.failures]).toEqual([[], []]);
    await passTogether(20);
    expect(await changeRows(databases[0])).toMatchObject([{ type: 'release_title_changed', state: 'confirmed' }]);
  });
});

describe('a replica that dies', () => {
  test('when a replica dies between claim and poll, another polls its artists after the claims expire', async () => {
    const dead = dueArtists(databases[0], { platform: 'deezer', leaseMs: MINUTE_MS, intervalFactor: 1 });
    await dead.claim('first', ARTISTS, ARTISTS, clock.now());
    const [, alive] = replicas;
    await alive.poll();
    expect(alive.polled).toEqual([]);
    clock.advance(MINUTE_MS);
    await alive.poll();
    expect(alive.polled).toHaveLength(ARTISTS);
  });

  test('replicas lose nothing and duplicate nothing, whichever statement loses its database connection', async () => {
    await passTogether(3);
    removeOneEach();
    await cutEveryNthStatement(7);
    // A poll that is lost before its settlement is retried, so it only takes longer.
    for (let minute = 0; minute < 6 * 60; minute += 5) {
      clock.advance(5 * MINUTE_MS);
      await Promise.allSettled(replicas.map((replica) => replica.poll()));
    }
    await neverCut();
    await passTogether(40);
    const changes = await changeRows(databases[0]);
    expect(new Set(changes.map(({ state }) => state))).toEqual(new Set(['confirmed']));
    expect(new Set(changes.map(({ entity_id }) => entity_id)).size).toBe(changes.length);
    expect(changes.length).toBeGreaterThan(8);
    expect(await count('feed_items')).toBe(changes.length);
    expect(await count('deliveries')).toBe(changes.length);
    expect(replicas.flatMap(({ failures }) => failures).length).toBeGreaterThan(10);
  }, 300_000);

  test('a replica that stops normally releases its claims', async () => {
    const [first, second] = replicas;
    simulator.setQuirks({ slow: { probability: 1, delayMs: 2_000 } });
    const polling = first.poll();
    while (first.poller.underWay === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.stop();
    await polling;
    simulator.setQuirks({});
    await second.poll();
    expect(second.polled).toHaveLength(ARTISTS);
  });
});
