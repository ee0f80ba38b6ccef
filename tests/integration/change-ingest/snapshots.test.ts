import type { CatalogueState } from '@artist-watch/domain/catalogue';
import { useSuite } from '@artist-watch/harness/suite';
import type { TestClock } from '@artist-watch/harness/test-clock';
import type { PlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { cliEnvironment, createTestCli } from '../cli/run-cli.js';
import { openTestDatabase, watching } from './ingest-fixture.js';
import { ARTIST, watchOneArtist } from './watched-artist.js';
import { changeRows, type Watching } from './watching-fixture.js';

// Many readings and statements on a machine that may be busy with other suites.
jest.setTimeout(60_000);

const { databaseUrl, pool } = await useSuite();
const database = openTestDatabase(databaseUrl);
afterAll(() => database.close());
const cli = createTestCli(await cliEnvironment());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let simulator: PlatformSimulator;
let clock: TestClock;
let replica: Watching;
let releases: string[];

beforeEach(async () => {
  ({ simulator, clock, replica, releases } = await watchOneArtist(database));
  await replica.pass(HOUR_MS);
});
afterEach(async () => {
  await replica.stop();
  await simulator.stop();
});

interface SnapshotRow {
  readonly id: string;
  readonly base_id: string | null;
  readonly bytes: number;
  readonly content: Record<string, unknown>;
}

const snapshotRows = async () =>
  (
    await pool.query<SnapshotRow>(
      `SELECT id, base_id, octet_length(content::text) AS bytes, content FROM snapshots ORDER BY observed_at, id`,
    )
  ).rows;
const removed = (id: string | undefined, isRemoved = true) =>
  simulator.state.changeRelease(id ?? '', { removed: isRemoved });
const shown = (id: string) =>
  cli.json<{ catalogue: CatalogueState | null; broken: unknown; complete: boolean; content: unknown }>(
    'snapshot',
    'show',
    '--id',
    id,
  );
const idsIn = (catalogue: CatalogueState | null) => catalogue?.releases.map(({ platformId }) => platformId).sort();

describe('the snapshots of an artist', () => {
  test('show what each observation of a change saw, and take little room where little changed', async () => {
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);
    const [change] = await changeRows(database);
    expect(change?.state).toBe('confirmed');
    const rows = await snapshotRows();
    const [first] = rows;
    expect(first?.base_id).toBeNull();
    for (const observation of change?.observations ?? []) {
      const { snapshotId } = observation as { snapshotId: string };
      const snapshot = await shown(snapshotId);
      expect(snapshot).toMatchObject({ complete: true, broken: null });
      expect(idsIn(snapshot.catalogue)).toEqual(releases.slice(1).sort());
    }
    // The baseline of all releases, then a re-check that says what the one before did.
    expect(idsIn((await shown(first?.id ?? '')).catalogue)).toEqual([...releases].sort());
    const smallest = Math.min(...rows.filter(({ base_id }) => base_id !== null).map(({ bytes }) => bytes));
    expect(smallest).toBeLessThan((first?.bytes ?? 0) / 20);
  });

  test.each([
    ['lost', 'DELETE FROM snapshots WHERE id = $1', 'missing'],
    ['emptied', `UPDATE snapshots SET content = '{}' WHERE id = $1`, 'altered'],
    [
      'altered',
      `UPDATE snapshots SET content = jsonb_set(content, '{catalogue,artist,name}', '"x"') WHERE id = $1`,
      'altered',
    ],
  ])('are begun anew where a link is %s, which is noticed, and nothing changes for that', async (_, damage, reason) => {
    removed(releases[0]);
    await replica.pass(15 * MINUTE_MS);
    const before = await snapshotRows();
    const tip = before.at(-1);
    const whole = before.findLast(({ base_id }) => base_id === null);
    expect(tip?.base_id).not.toBeNull();
    await pool.query(damage, [whole?.id]);
    const known = (await snapshotRows()).length;

    await replica.pass(2 * HOUR_MS);
    expect(replica.failures).toEqual([]);
    expect(replica.brokenChains).toMatchObject([{ reason }]);
    const [next, ...later] = (await snapshotRows()).slice(known);
    expect(next).toMatchObject({ base_id: null, content: { catalogue: expect.anything(), follows: { reason } } });
    // Once: what was kept after that can be followed, whether it builds on something or stands by itself.
    expect(later.filter(({ content }) => 'follows' in content)).toEqual([]);
    expect(later.some(({ base_id }) => base_id !== null)).toBe(true);
    expect(idsIn((await shown(next?.id ?? '')).catalogue)).toEqual(releases.slice(1).sort());
    expect(await shown(tip?.id ?? '')).toMatchObject({ catalogue: null, broken: { reason } });
    expect(await changeRows(database)).toMatchObject([{ type: 'release_removed', state: 'confirmed' }]);
  });

  test('that are all pruned take nothing of the baseline along', async () => {
    await pool.query('DELETE FROM snapshots');
    await replica.pass(26 * HOUR_MS);
    expect(await changeRows(database)).toEqual([]);
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([
      { type: 'release_removed', state: 'confirmed', entity_id: releases[0] },
    ]);
    expect((await snapshotRows())[0]).toMatchObject({ base_id: null });
  });

  test('of an older version can still be read, and nothing builds on them', async () => {
    const { rows } = await pool.query<{ id: string; artist_id: string }>('SELECT id, artist_id FROM snapshots LIMIT 1');
    await pool.query('UPDATE snapshots SET digest = NULL, base_id = NULL');
    removed(releases[0]);
    await replica.pass(20 * MINUTE_MS);
    expect(replica.brokenChains).toEqual([]);
    const linked = (await snapshotRows()).filter(({ content }) => 'catalogue' in content);
    expect(linked.at(-1)?.base_id).toBeNull();
    expect((await shown(rows[0]?.id ?? '')).content).toMatchObject({ catalogue: { artist: { platformId: ARTIST } } });
    expect(await cli.refusal('snapshot', 'show', '--id', 'snp_0')).toBe('There is no such snapshot.\n');
  });
});

test('an unchanged artist costs a write of its own row and one of its watches, in one statement each for all of them', async () => {
  for (const { id } of simulator.state.artists()) {
    if (id !== ARTIST) await watching(pool, { accountId: 'acc_1', artistPlatformId: id, now: clock.now() });
  }
  await replica.pass(HOUR_MS);
  // All of them are due, and nothing of them by rotation.
  const isQuiet = async () => {
    replica.polled.length = 0;
    await pool.query('TRUNCATE written');
    await pool.query('UPDATE artists SET next_poll_at = $1', [clock.advance(MINUTE_MS)]);
    await pool.query('TRUNCATE written');
    await replica.poll();
    return replica.polled.every(({ taken }) => taken.settlement.kind === 'unchanged');
  };
  await pool.query(`
    CREATE TABLE written (what text);
    CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO written VALUES (TG_TABLE_NAME || ' ' || TG_OP); RETURN NULL; END $$`);
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'written'`,
  );
  for (const { name } of tables) {
    await pool.query(
      `CREATE TRIGGER note_write AFTER INSERT OR UPDATE OR DELETE ON "${name}" EXECUTE FUNCTION note_write()`,
    );
  }
  let quiet = false;
  for (let tries = 0; tries < 20 && !quiet; tries += 1) quiet = await isQuiet();
  const { rows: written } = await pool.query('SELECT what, count(*)::int AS n FROM written GROUP BY what');
  expect(replica.polled).toHaveLength(6);
  expect(quiet).toBe(true);
  for (const { name } of tables) await pool.query(`DROP TRIGGER note_write ON "${name}"`);
  // The claim, and what came of the readings: in as many batches as they ended in.
  const times = new Map(written.map(({ what, n }) => [what, n]));
  expect([...times.keys()].sort()).toEqual(['artists UPDATE', 'watches UPDATE']);
  expect(times.get('artists UPDATE')).toBeLessThanOrEqual(1 + 6);
  expect(times.get('watches UPDATE')).toBeLessThanOrEqual(6);
});
