import type { Platform } from '@artist-watch/domain/catalogue';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Database } from '@artist-watch/persistence/database';
import { type PollingProgress, pollingProgress } from '@artist-watch/persistence/polling/due-artists';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Poller } from '../../application/polling/poller.js';
import type { PlatformPause } from '../../application/polling/ports.js';

export interface PollingGaugesOptions {
  readonly metrics: Metrics;
  readonly database: Database;
  readonly platform: Platform;
  readonly clock: Clock;
  readonly poller: Poller;
  readonly pause: PlatformPause;
}

/** What is read at each scrape. The values of the record are those of all replicas; each replica shows them. */
export function definePollingGauges({ metrics, database, platform, clock, poller, pause }: PollingGaugesOptions): void {
  const artists = metrics.gauge({
    name: 'artists',
    help: 'Artists that are watched, and those of this process that are being read.',
    labels: ['state'],
  });
  const suspicions = metrics.gauge({
    name: 'suspicions_open',
    help: 'Differences that wait to be confirmed or dismissed; held ones are kept back by the brake.',
    labels: ['state'],
  });
  metrics.gauge({
    name: 'platform_pause_seconds',
    help: 'How long the platform is not asked, because it told us to wait.',
    collect: (gauge) => gauge.set(pause.remainingMs() / 1000),
  });
  metrics.gauge({
    name: 'poll_overdue_seconds',
    help: 'Freshness: for how long the longest overdue artist has been due; 0 when none is.',
    async collect(gauge) {
      const now = clock.now();
      const progress = await pollingProgress(database.pool, platform, now).catch(() => null);
      // A scrape must not fail because the database is away: the other metrics tell of that.
      if (progress === null) return gauge.set(Number.NaN);
      gauge.set(overdueSeconds(progress, now));
      artists.set({ state: 'watched' }, progress.watched);
      artists.set({ state: 'being_read' }, poller.underWay);
      suspicions.set({ state: 'suspected' }, progress.suspected);
      suspicions.set({ state: 'held' }, progress.held);
    },
  });
}

function overdueSeconds({ oldestDueAt }: PollingProgress, now: Date): number {
  return oldestDueAt === null ? 0 : Math.max(0, now.getTime() - oldestDueAt.getTime()) / 1000;
}
