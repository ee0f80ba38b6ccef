import type { PictureSource } from '@artist-watch/catalogue/http/picture-source';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { ClaimedPicture, PictureStore } from '@artist-watch/persistence/change/pictures';
import type { Clock } from '@artist-watch/runtime/clock';
import { every, type Periodic } from '@artist-watch/runtime/periodic';

export interface PictureLoopOptions {
  readonly pictures: PictureStore;
  readonly source: Pick<PictureSource, 'fetch'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

const INTERVAL_MS = 5_000;
const CONCURRENCY = 4;
/** Longer than any download takes. If a process crashes, another process repeats the download after this time. */
const LEASE_MS = 60_000;

const MINUTE_MS = 60_000;
/** Failed downloads are retried, because a new picture may not be available right away. */
const RETRY_PAUSES_MS = [1, 10, 60, 6 * 60, 24 * 60].map((minutes) => minutes * MINUTE_MS);

export function startPictureLoop({ pictures, source, clock, log, metrics, signal }: PictureLoopOptions): Periodic {
  const fetched = metrics.counter({
    name: 'artist_watch_pictures_fetched_total',
    help: 'Downloads of pictures for changes, by result: `kept`, or the reason for the failure.',
    labels: ['result'],
  });

  async function fetchOne(picture: ClaimedPicture): Promise<void> {
    const { platform, of, contentId, tries } = picture;
    const outcome = await source.fetch(platform, of, contentId, signal);
    if (outcome.kind === 'fetched') {
      await pictures.keep(picture, outcome);
      fetched.inc({ result: 'kept' });
      return;
    }
    const pauseMs = outcome.problem === 'unknown_id' ? undefined : RETRY_PAUSES_MS[tries - 1];
    const nextTryAt = pauseMs === undefined ? null : new Date(clock.now().getTime() + pauseMs);
    await pictures.putOff(picture, outcome.problem, nextTryAt);
    fetched.inc({ result: outcome.problem });
    log.info('picture.not_fetched', { platform, of, contentId, tries, problem: outcome.problem, nextTryAt });
  }

  return every({
    intervalMs: INTERVAL_MS,
    signal,
    onError: (error) => log.warn('picture.failed', { error }),
    async run() {
      for (;;) {
        const due = await pictures.claim({ limit: CONCURRENCY, leaseMs: LEASE_MS, now: clock.now() });
        const results = await Promise.allSettled(due.map(fetchOne));
        const failure = results.find((result) => result.status === 'rejected');
        if (failure) throw failure.reason;
        if (due.length < CONCURRENCY || signal.aborted) return;
      }
    },
  });
}
