import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';
import { openTestDatabase, watching } from './ingest-fixture.js';
import { changeRows, Watching } from './watching-fixture.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
onEnd(() => database.close());

const HOUR_MS = 3_600_000;
/** More for a soak: SOAK_ARTISTS=1000. */
const ARTISTS = Number(process.env.SOAK_ARTISTS ?? 11);
/** Nearly half of the readings fail, and pauses grow with each failure. */
const LONG_ENOUGH_MS = 14 * HOUR_MS;

const QUIRKS = {
  noDataError: 0.05,
  quotaError: 0.05,
  busyError: 0.05,
  serverError: 0.05,
  tooManyRequests: 0.05,
  cutConnection: 0.05,
  cutBody: 0.05,
  notJson: 0.05,
  laterPageFails: 0.05,
  wrongTotal: 0.05,
  missingItem: 0.05,
  vanishingFields: 0.05,
  relink: 0.05,
  zeroFollowers: 0.05,
  foreignCountry: 0.05,
  emptyListOfUnknownArtist: 0.05,
};

test('a platform with every quirk at once yields exactly the changes that are real', async () => {
  const clock = new TestClock('2026-03-01T00:30:00.000Z');
  const simulator = await startPlatformSimulator({
    platform: 'deezer',
    seed: 'quirks',
    artists: ARTISTS,
    budget: 'unlimited',
    clock,
  });
  onEnd(() => simulator.stop());
  const replica = new Watching({ database, simulator, clock, expectedCountry: 'FR' });
  onEnd(() => replica.stop());
  for (const { id } of simulator.state.artists()) {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: id, now: clock.now() });
  }
  await replica.pass(2 * HOUR_MS);
  simulator.setQuirks(QUIRKS);
  await replica.pass(3 * HOUR_MS);
  const early = (await changeRows(database)).filter(({ state }) => state === 'confirmed');
  expect(early).toEqual([]);

  const expected: string[] = [];
  for (const [index, { id }] of simulator.state.artists().entries()) {
    if (index % 5 !== 0) continue;
    const release = simulator.state.releasesOf(id)[0];
    if (!release || simulator.state.releasesOf(id).length < 4) continue;
    if (index % 10 === 0) {
      simulator.state.changeRelease(release.id, { removed: true });
      expected.push(`release_removed ${release.id}`);
    } else {
      simulator.state.changeRelease(release.id, { title: `${release.title} (Remastered)` });
      expected.push(`release_title_changed ${release.id}`);
    }
  }
  await replica.pass(LONG_ENOUGH_MS);
  const confirmed = (await changeRows(database)).filter(({ state }) => state === 'confirmed');
  expect(confirmed.map(({ type, entity_id }) => `${type} ${entity_id}`).sort()).toEqual(expected.sort());
  expect(replica.failures).toEqual([]);
}, 3_600_000);
