import type { CatalogueState } from '@artist-watch/domain/catalogue';
import { useSuite } from '@artist-watch/harness/suite';
import type { TestClock } from '@artist-watch/harness/test-clock';
import type { PlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cliEnvironment, createTestCli } from '../cli/run-cli.js';
import { openTestDatabase, watching } from './ingest-fixture.js';
import { ARTIST, watchOneArtist } from './watched-artist.js';
import { changeRows, type Watching } from './watching-fixture.js';

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

const removed = (id: string | undefined, isRemoved = true) =>
  simulator.state.changeRelease(id ?? '', { removed: isRemoved });
const shown = (id: string) =>
  cli.json<{ catalogue: CatalogueState | null; complete: boolean; content: unknown }>('snapshot', 'show', '--id', id);
const idsIn = (catalogue: CatalogueState | null) => catalogue?.releases.map(({ platformId }) => platformId).sort();

describe("an artist's snapshots", () => {
  test('snapshots show what each observation of a change saw, and the baseline before it', async () => {
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);
    const [change] = await changeRows(database);
    expect(change?.state).toBe('confirmed');
    for (const observation of change?.observations ?? []) {
      const { snapshotId } = observation as { snapshotId: string };
      const snapshot = await shown(snapshotId);
      expect(snapshot).toMatchObject({ complete: true, content: null });
      expect(idsIn(snapshot.catalogue)).toEqual(releases.slice(1).sort());
    }
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM snapshots ORDER BY observed_at, id LIMIT 1');
    expect(idsIn((await shown(rows[0]?.id ?? '')).catalogue)).toEqual([...releases].sort());
    expect(await cli.refusal('snapshot', 'show', '--id', 'snp_0')).toBe('There is no such snapshot.\n');
  });

  test('damaged snapshots are never shown or used for decisions', async () => {
    const damaged = `overlay(catalogue placing '\\x00'::bytea from octet_length(catalogue) / 2)`;
    const { rows } = await pool.query<{ id: string }>(
      `UPDATE snapshots SET catalogue = ${damaged} WHERE catalogue IS NOT NULL RETURNING id`,
    );
    expect(rows).not.toEqual([]);
    for (const { id } of rows) await cli.refusal('snapshot', 'show', '--id', id);
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);
    expect(replica.failures).toEqual([]);
    expect(await changeRows(database)).toMatchObject([{ type: 'release_removed', state: 'confirmed' }]);
  });

  test('all snapshots can be deleted without affecting the baseline', async () => {
    await pool.query('DELETE FROM snapshots');
    await replica.pass(26 * HOUR_MS);
    expect(await changeRows(database)).toEqual([]);
    removed(releases[0]);
    await replica.pass(2 * HOUR_MS);
    expect(await changeRows(database)).toMatchObject([
      { type: 'release_removed', state: 'confirmed', entity_id: releases[0] },
    ]);
  });

  test('snapshots of an older version are shown as they are stored', async () => {
    const content = { catalogue: { artist: { platformId: ARTIST }, releases: [] } };
    const { rows } = await pool.query<{ id: string }>(
      `UPDATE snapshots SET catalogue = NULL, content = $1 WHERE id = (SELECT min(id) FROM snapshots) RETURNING id`,
      [content],
    );
    expect(await shown(rows[0]?.id ?? '')).toMatchObject({ catalogue: null, content });
  });
});

test('a batch of unchanged artists writes only rows of artists, watches and days, with one statement per table', async () => {
  for (const { id } of simulator.state.artists()) {
    if (id !== ARTIST) await watching(pool, { accountId: 'acc_1', artistPlatformId: id, now: clock.now() });
  }
  await replica.pass(HOUR_MS);
  // True if every poll is settled as unchanged.
  const isQuiet = async () => {
    replica.polled.length = 0;
    await pool.query('TRUNCATE written');
    await pool.query('UPDATE artists SET next_poll_at = $1', [clock.advance(MINUTE_MS)]);
    await pool.query('TRUNCATE written');
    await replica.poll();
    return replica.polled.every(({ processed }) => processed.settlement.kind === 'unchanged');
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
  // One statement claims the artists. Each batch of ended polls is settled by one statement per table.
  const times = new Map(written.map(({ what, n }) => [what, n]));
  // An upsert fires both the INSERT and the UPDATE triggers.
  const day = ['artist_days INSERT', 'artist_days UPDATE'];
  expect([...times.keys()].sort()).toEqual([...day, 'artists UPDATE', 'watches UPDATE']);
  expect(times.get('artists UPDATE')).toBeLessThanOrEqual(1 + 6);
  expect(times.get('watches UPDATE')).toBeLessThanOrEqual(6);
  expect(times.get('artist_days INSERT')).toBeLessThanOrEqual(6);
});
