import type { Platform } from '@artist-watch/domain/catalogue';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Database } from '@artist-watch/persistence/database/database';
import { type PollingProgress, pollingProgress } from '@artist-watch/persistence/polling/due-artists';
import type { Clock } from '@artist-watch/runtime/clock';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import type { PlatformPause, Poller } from '../application/polling/poller.js';

export interface PollingLoopsOptions {
  readonly poller: Poller;
  readonly log: Logger;
  /** Aborting this signal also stops running polls. */
  readonly signal: AbortSignal;
  readonly leaseMs: number;
}

/** If a slot is free, a due artist waits no longer than this. */
const CLAIM_INTERVAL_MS = 1_000;

export function startPollingLoops({ poller, log, signal, leaseMs }: PollingLoopsOptions) {
  const poll = (kind: Parameters<Poller['run']>[0], onError: (error: unknown) => void): Periodic =>
    every({ intervalMs: CLAIM_INTERVAL_MS, signal, run: (stop) => poller.run(kind, stop), onError });

  const loops = [
    poll('usual', (error) => log.error('polling.failed', { error })),
    poll('first', (error) => log.error('polling_first.failed', { error })),
    poll('learning', (error) => log.error('polling_learning.failed', { error })),
    poll('closer', (error) => log.error('polling_look.failed', { error })),
    every({
      intervalMs: leaseMs / 3,
      signal,
      run: () => poller.renewClaims(),
      onError: (error) => log.error('claims_renewal.failed', { error }),
    }),
  ];
  return { done: Promise.all(loops.map(({ done }) => done)).then(() => poller.settled()) };
}

export interface PollingGaugesOptions {
  readonly metrics: Metrics;
  readonly database: Database;
  readonly platform: Platform;
  readonly intervalFactor: number;
  readonly clock: Clock;
  readonly poller: Poller;
  readonly pause: PlatformPause;
}

const CACHE_MS = 500;

/** Gauges from PostgreSQL have the same value in every replica. While PostgreSQL is down, they are omitted. */
export function definePollingGauges(options: PollingGaugesOptions): void {
  const { metrics, database, platform, intervalFactor, clock, poller, pause } = options;
  const progress = cached(() => pollingProgress(database.pool, platform, intervalFactor, clock.now()));
  metrics.gauge({
    name: 'artist_watch_poll_overdue_seconds',
    help: 'Seconds by which the most overdue artist is late for its next full check, or 0 if none is late. Excludes new artists until their first checks are finished.',
    collect: async (gauge) => gauge.set(overdueSeconds(await progress(), clock.now())),
  });
  metrics.gauge({
    name: 'artist_watch_artists_watched',
    help: 'Watched artists.',
    collect: async (gauge) => gauge.set((await progress()).watched),
  });
  metrics.gauge({
    name: 'artist_watch_polls_running',
    help: 'Artists that this process is currently polling.',
    collect: (gauge) => gauge.set(poller.underWay),
  });
  metrics.gauge({
    name: 'artist_watch_suspicions_open',
    help: 'Suspected changes that are not confirmed or dismissed yet, by state: `suspected`, or `held` (put on hold by the brake).',
    labels: ['state'],
    async collect(gauge) {
      const { suspected, held } = await progress();
      gauge.set({ state: 'suspected' }, suspected);
      gauge.set({ state: 'held' }, held);
    },
  });
  metrics.gauge({
    name: 'artist_watch_platform_pause_seconds',
    help: 'Seconds until requests to the platform resume, or 0 if they are not paused.',
    collect: async (gauge) => gauge.set((await pause.remainingMs()) / 1000),
  });
}

function cached(read: () => Promise<PollingProgress>): () => Promise<PollingProgress> {
  let last: Promise<PollingProgress> | undefined;
  let lastAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (!last || performance.now() - lastAtMs > CACHE_MS) {
      lastAtMs = performance.now();
      last = read();
    }
    return last;
  };
}

function overdueSeconds({ oldestDueAt }: PollingProgress, now: Date): number {
  return oldestDueAt === null ? 0 : Math.max(0, now.getTime() - oldestDueAt.getTime()) / 1000;
}
