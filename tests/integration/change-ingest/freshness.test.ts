import { definePollingGauges, startPollingLoops } from '@artist-watch/change-ingest/adapters/polling';
import { PLANS } from '@artist-watch/domain/account/plans';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { beforeEach, expect, test } from '@jest/globals';
import { cliEnvironment, createTestCli } from '../cli/run-cli.js';
import { openTestDatabase, watching } from './ingest-fixture.js';
import { Watching } from './watching-fixture.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
onEnd(() => database.close());
const clock = new TestClock('2026-03-01T12:00:00.000Z');
const simulator = await startPlatformSimulator({
  platform: 'deezer',
  seed: 'fresh',
  artists: 4,
  budget: 'unlimited',
  clock,
});
onEnd(() => simulator.stop());
const replica = new Watching({ database, simulator, clock });
onEnd(() => replica.stop());

beforeEach(async () => {
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries CASCADE');
});

test("an artist's delay counts from its last complete observation, so failed polls do not reset it", async () => {
  const metrics = createMetrics({ service: 'change-ingest' });
  definePollingGauges({
    metrics,
    database,
    platform: 'deezer',
    intervalFactor: 1,
    clock,
    poller: replica.poller,
    pause: { remainingMs: async () => 0 },
  });
  const gauge = async (name: string) => {
    const text = await metrics.registry.metrics();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  };
  /** The figures are read from the database at most twice a second. */
  const becomes = (name: string, value: number) => until(name, async () => (await gauge(name)) === value);

  const [artist] = simulator.state.artists();
  await watching(pool, { accountId: 'acc_1', artistPlatformId: artist?.id ?? '', now: clock.now() });
  clock.advance(90_000);
  await becomes('artist_watch_artists_watched', 1);
  // A first poll has no deadline.
  await becomes('artist_watch_poll_overdue_seconds', 0);
  await replica.pass(1_000);
  const [read] = (await pool.query<{ at: Date }>('SELECT last_complete_at AS at FROM artists')).rows;
  const dueAtMs = (read?.at.getTime() ?? 0) + PLANS.business.pollIntervalMs;

  simulator.setQuirks({ serverError: { probability: 1 } });
  clock.set(new Date(dueAtMs + 100_000));
  await becomes('artist_watch_poll_overdue_seconds', 100);
  await replica.pass(1_000);
  const { rows } = await pool.query('SELECT incomplete_polls, next_poll_at FROM artists');
  expect(rows).toEqual([expect.objectContaining({ incomplete_polls: 1 })]);
  expect(rows[0].next_poll_at.getTime()).toBeGreaterThan(clock.now().getTime());
  const overdueMs = clock.now().getTime() - dueAtMs;
  await becomes('artist_watch_poll_overdue_seconds', overdueMs / 1_000);

  simulator.setQuirks({});
  clock.advance(60_000);
  await replica.pass(1_000);
  await becomes('artist_watch_poll_overdue_seconds', 0);
});

test('a new watch is polled automatically, even if many other artists are overdue', async () => {
  await pool.query(
    `INSERT INTO artists (id, platform, platform_id, name, created_at, last_polled_at, next_poll_at)
     SELECT new_id('art', $1), 'deezer', 'busy-' || n, 'busy', $1, $1, $1 FROM generate_series(1, 500) n`,
    [clock.now()],
  );
  simulator.setQuirks({ slow: { probability: 1, delayMs: 30_000, paths: 'busy-' } });
  const stop = new AbortController();
  const loops = startPollingLoops({
    poller: replica.poller,
    log: createLogger({ service: 'change-ingest', level: 'error' }),
    signal: stop.signal,
    leaseMs: 60_000,
  });
  try {
    await until('all slots to be in use', () => replica.poller.underWay >= 16);
    const cli = createTestCli(await cliEnvironment());
    const account = await cli.json<{ id: string }>('account', 'create', '--name', 'Label', '--plan', 'free');
    const [, , artist] = simulator.state.artists();
    clock.set(new Date());
    await cli.json('artist', 'watch', '--account', account.id, '--platform-id', artist?.id ?? '');
    clock.set(new Date(Date.now() + 1_000));
    await until('the first poll of the artist', async () => {
      const { rows } = await pool.query('SELECT last_complete_at FROM artists WHERE platform_id = $1', [artist?.id]);
      return rows[0]?.last_complete_at !== null;
    });
    expect(replica.poller.underWay).toBeGreaterThanOrEqual(16);
  } finally {
    stop.abort(new Error('the test has ended'));
    await loops.done;
  }
});
