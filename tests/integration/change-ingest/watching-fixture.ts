import type { RequestBudget } from '@artist-watch/catalogue/budget/request-budget';
import { createPlatformClient } from '@artist-watch/catalogue/create-platform-client';
import { createPostgresObservationIntake } from '@artist-watch/change-ingest/adapters/postgres-observation-intake';
import { rotationOfHours } from '@artist-watch/change-ingest/application/polling/poll-plan';
import { type PolledArtist, Poller } from '@artist-watch/change-ingest/application/polling/poller';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { TestClock } from '@artist-watch/harness/test-clock';
import { noTracing } from '@artist-watch/observability/tracing/tracing';
import type { Database } from '@artist-watch/persistence/database/database';
import { readDetections } from '@artist-watch/persistence/polling/artist-rows';
import { dueArtists } from '@artist-watch/persistence/polling/due-artists';
import type { PlatformSimulator } from '@artist-watch/platform-simulator/server';

const MINUTE_MS = 60_000;

export interface WatchingOptions {
  readonly database: Database;
  readonly simulator: PlatformSimulator;
  /** Default: Deezer. */
  readonly platform?: Platform;
  readonly clock: TestClock;
  readonly tickMs?: number;
  readonly concurrency?: number;
  readonly leaseMs?: number;
  readonly expectedCountry?: string;
  /** Remaining milliseconds of the pause that the platform requested. */
  readonly pauseMs?: () => number;
  /** Polls passed to this function are not added to `polled`. */
  readonly onPolled?: (artist: PolledArtist) => void;
}

/** Penalties use the wall clock instead of the test's clock. */
const UNLIMITED: RequestBudget = { take: async () => undefined, penalise: async () => undefined };

/** This replica polls on demand, at the time of the test's clock. */
export class Watching {
  readonly polled: PolledArtist[] = [];
  readonly failures: unknown[] = [];
  readonly poller: Poller;
  readonly intake: ReturnType<typeof createPostgresObservationIntake>;
  readonly #options: WatchingOptions;
  readonly #client: ReturnType<typeof createPlatformClient>;
  readonly #signal = new AbortController();

  constructor(options: WatchingOptions) {
    this.#options = options;
    const {
      database,
      simulator,
      clock,
      platform = 'deezer',
      concurrency = 16,
      leaseMs = MINUTE_MS,
      expectedCountry,
      pauseMs = () => 0,
    } = options;
    this.#client = createPlatformClient(
      {
        PLATFORM: platform,
        PLATFORM_URL: simulator.url,
        PLATFORM_COUNTRY: expectedCountry,
        SPOTIFY_ACCOUNTS_URL: simulator.url,
        SPOTIFY_CLIENT_ID: 'id',
        SPOTIFY_CLIENT_SECRET: 'secret',
      },
      { budget: UNLIMITED, clock, maxConnections: 64, retryDelaysMs: [1, 1], maxQuotaWaitMs: 0 },
    );
    this.intake = createPostgresObservationIntake({
      database,
      platform,
      clock,
      settings: {
        intervalFactor: 1,
        confirmIntervalMs: 10 * MINUTE_MS,
        confirmation: { observations: 3, spanMs: 30 * MINUTE_MS, intervalMs: 10 * MINUTE_MS },
      },
      onDeliveries: () => undefined,
    });
    this.poller = new Poller({
      due: dueArtists(database, { platform, leaseMs, intervalFactor: 1 }),
      loadDetections: (artistIds, now) =>
        readDetections(database.pool, artistIds, now, (_id, error) => this.failures.push(error)),
      platform: this.#client,
      pause: { remainingMs: async () => pauseMs() },
      intake: this.intake,
      clock,
      rotations: { deep: rotationOfHours(24, 1), full: rotationOfHours(7 * 24, 1) },
      concurrency,
      log: {
        polled: options.onPolled ?? ((artist) => this.polled.push(artist)),
        failed: (_due, error) => this.failures.push(error),
      },
      tracing: noTracing,
    });
  }

  async poll(): Promise<void> {
    for (const kind of ['first', 'usual', 'learning'] as const) await this.poller.run(kind, this.#signal.signal);
    await this.poller.settled();
  }

  async look(): Promise<void> {
    await this.poller.run('closer', this.#signal.signal);
    await this.poller.settled();
  }

  /** Polls each artist when it is due. */
  async pass(durationMs: number): Promise<void> {
    const { clock, database, tickMs = 1 } = this.#options;
    const endMs = clock.now().getTime() + durationMs;
    for (;;) {
      const { rows } = await database.pool.query<{ due: Date | null }>(
        'SELECT min(greatest(next_poll_at, poll_claimed_until)) AS due FROM artists WHERE next_poll_at IS NOT NULL',
      );
      const dueMs = rows[0]?.due?.getTime() ?? Number.POSITIVE_INFINITY;
      if (dueMs > endMs) break;
      clock.set(new Date(Math.max(Math.ceil(dueMs / tickMs) * tickMs, clock.now().getTime())));
      await this.poll();
    }
    clock.set(new Date(endMs));
  }

  async stop(): Promise<void> {
    this.#signal.abort(new Error('the test has ended'));
    await this.poller.settled();
    await this.intake.stop();
    this.#client.close();
  }
}

export interface ChangeRow {
  readonly id: string;
  readonly type: string;
  readonly severity: string;
  readonly state: string;
  readonly entity_id: string;
  readonly detected_at: Date;
  readonly confirmed_at: Date | null;
  readonly dismissed_reason: string | null;
  readonly observations: readonly unknown[];
  readonly webhook_body: string | null;
}

export async function changeRows({ pool }: Database): Promise<ChangeRow[]> {
  const { rows } = await pool.query<ChangeRow>('SELECT * FROM changes ORDER BY detected_at, type, entity_id');
  return rows;
}
