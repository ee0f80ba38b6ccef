import type { Logger } from '@artist-watch/observability/logger';
import { prune } from '@artist-watch/persistence/retention';
import type { Clock } from '@artist-watch/runtime/clock';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import type pg from 'pg';

const INTERVAL_MS = 3_600_000;
/** Delays the first run, so that it adds no load at startup. */
const FIRST_AFTER_MS = 60_000;

/** Deletes rows past their retention every hour (docs/reference/service.md). */
export function startRetention(options: {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Periodic {
  const { pool, clock, log, signal } = options;
  return every({
    intervalMs: INTERVAL_MS,
    firstAfterMs: FIRST_AFTER_MS,
    signal,
    onError: (error) => log.error('retention.failed', { error }),
    async run() {
      const startedAtMs = performance.now();
      const rows = await prune(pool, { now: clock.now(), signal });
      log.info('rows.pruned', { ...rows, durationMs: Math.round(performance.now() - startedAtMs) });
    },
  });
}
