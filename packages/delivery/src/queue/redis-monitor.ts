import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Redis } from 'ioredis';
import { isUp } from './connection.js';

export interface RedisMonitorOptions {
  /** REDIS_URL. Log lines contain only its host and port. */
  readonly url: string;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Reports whether Redis is connected, and logs a lost connection and its recovery once each. */
export function monitorRedis(redis: Redis, { url, log, metrics }: RedisMonitorOptions): void {
  const server = new URL(url).host;
  let lostAtMs: number | undefined;
  redis.on('close', () => {
    // Each failed attempt to reconnect closes a connection too. After `disconnect` the status is `end`.
    if (lostAtMs !== undefined || redis.status === 'end') return;
    lostAtMs = performance.now();
    log.warn('redis.connection_lost', { server });
  });
  redis.on('ready', () => {
    if (lostAtMs === undefined) return;
    log.info('redis.connection_restored', { server, lostMs: Math.round(performance.now() - lostAtMs) });
    lostAtMs = undefined;
  });
  metrics.gauge({
    name: 'redis_up',
    help: '1 if this process is connected to Redis, else 0.',
    collect: (gauge) => gauge.set(isUp(redis) ? 1 : 0),
  });
}
