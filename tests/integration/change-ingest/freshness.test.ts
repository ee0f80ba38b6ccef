import { definePollingGauges } from '@artist-watch/change-ingest/adapters/polling/polling-gauges';
import { startPollingLoops } from '@artist-watch/change-ingest/adapters/polling/polling-loops';
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

test('freshness is how long the longest overdue artist has been due, and 0 once it is read', async () => {
  const metrics = createMetrics({ service: 'change-ingest' });
  definePollingGauges({
    metrics,
    database,
    platform: 'deezer',
    clock,
    poller: replica.poller,
    pause: { remainingMs: async () => 0 },
  });
  const gauge = async (name: string) => {
    const text = await metrics.registry.metrics();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  };
  /** One look at the record serves for half a second. */
  const becomes = (name: string, value: number) => until(name, async () => (await gauge(name)) === value);

  const [one, other] = simulator.state.artists();
  await watching(pool, { accountId: 'acc_1', artistPlatformId: one?.id ?? '', now: clock.now() });
  await becomes('artists_watched', 1);
  clock.advance(90_000);
  await watching(pool, { accountId: 'acc_1', artistPlatformId: other?.id ?? '', now: clock.now() });
  clock.advance(10_000);
  await becomes('artists_watched', 2);
  await becomes('poll_overdue_seconds', 100);
  await replica.pass(1_000);
  await becomes('poll_overdue_seconds', 0);
});

test('a new watch is read without anybody asking for it, however many artists are overdue', async () => {
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
    await until('every place is taken', () => replica.poller.underWay >= 16);
    const cli = createTestCli(await cliEnvironment());
    const account = await cli.json<{ id: string }>('account', 'create', '--name', 'Label', '--plan', 'free');
    const [, , artist] = simulator.state.artists();
    clock.set(new Date());
    await cli.json('artist', 'watch', '--account', account.id, '--platform-id', artist?.id ?? '');
    clock.set(new Date(Date.now() + 1_000));
    await until('its first reading', async () => {
      const { rows } = await pool.query('SELECT last_complete_at FROM artists WHERE platform_id = $1', [artist?.id]);
      return rows[0]?.last_complete_at !== null;
    });
    expect(replica.poller.underWay).toBeGreaterThanOrEqual(16);
  } finally {
    stop.abort(new Error('the test has ended'));
    await loops.done;
  }
});
