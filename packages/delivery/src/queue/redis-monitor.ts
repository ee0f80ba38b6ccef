import { throttled } from '@artist-watch/observability/log-lines';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { monotonicMs, within } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import { isUp } from './connection.js';

const PING_TIMEOUT_MS = 1_000;

/** Reports `artist_watch_redis_up`, and logs at most one connection loss and one recovery every 10 s. */
export function monitorRedis(
  redis: Redis,
  { url, log, metrics }: { readonly url: string; readonly log: Logger; readonly metrics: Metrics },
): void {
  const server = new URL(url).host;
  let lostAtMs: number | undefined;
  let isLogged = false;
  const logLoss = throttled(() => {
    isLogged = true;
    log.warn('redis.connection_lost', { server });
  }, monotonicMs);
  // ioredis also emits `close` after each failed reconnect, so a long outage is always logged.
  redis.on('close', () => {
    // `disconnect` and `quit` set this status.
    if (redis.status === 'end') return;
    lostAtMs ??= performance.now();
    if (!isLogged) logLoss(undefined);
  });
  redis.on('ready', () => {
    if (isLogged && lostAtMs !== undefined) {
      log.info('redis.connection_restored', { server, lostMs: Math.round(performance.now() - lostAtMs) });
    }
    lostAtMs = undefined;
    isLogged = false;
  });
  metrics.gauge({
    name: 'artist_watch_redis_up',
    help: '1 if Redis responds to this process within 1 s, otherwise 0.',
    collect: async (gauge) => gauge.set((await responds(redis)) ? 1 : 0),
  });
}

/** A frozen Redis keeps its connections open, so checking the connection is not enough. */
async function responds(redis: Redis): Promise<boolean> {
  if (!isUp(redis)) return false;
  const ping = redis.ping().then(
    () => true,
    () => false,
  );
  return within(PING_TIMEOUT_MS, ping, () => false);
}
