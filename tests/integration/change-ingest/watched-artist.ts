import { TestClock } from '@artist-watch/harness/test-clock';
import type { Database } from '@artist-watch/persistence/database/database';
import { type PlatformSimulator, startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { destinationOf, watching } from './ingest-fixture.js';
import { Watching } from './watching-fixture.js';

export interface WatchedArtist {
  readonly clock: TestClock;
  readonly simulator: PlatformSimulator;
  readonly replica: Watching;
  readonly artistId: string;
  readonly releases: string[];
}

export const ARTIST = '5000003';
export const START = '2026-03-01T12:00:00.000Z';

/** The artist is not polled yet. */
export async function watchOneArtist(database: Database): Promise<WatchedArtist> {
  const { pool } = database;
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries CASCADE');
  const clock = new TestClock(START);
  const simulator = await startPlatformSimulator({
    platform: 'deezer',
    seed: 'watching',
    artists: 6,
    budget: 'unlimited',
    clock,
  });
  const replica = new Watching({ database, simulator, clock });
  const artistId = await watching(pool, { accountId: 'acc_1', artistPlatformId: ARTIST, now: clock.now() });
  await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
  return { clock, simulator, replica, artistId, releases: simulator.state.releasesOf(ARTIST).map(({ id }) => id) };
}
