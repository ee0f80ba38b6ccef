import { Redis, type RedisOptions } from 'ioredis';

/** Longest pause between two attempts to reach Redis again: it comes back soon after Redis does. */
const RECONNECT_PAUSE_MS = 500;

const reconnect: RedisOptions = {
  retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_PAUSE_MS),
  // A Redis that is frozen, or behind a cut cable, keeps its connections open: ask whether anybody is there.
  keepAlive: 5_000,
  connectTimeout: 3_000,
};

/**
 * For callers who must hear at once that Redis is away (a relay that will try again, a request that has another way):
 * commands fail instead of waiting for a connection.
 */
export function openCommandConnection(redisUrl: string, options: { readonly commandTimeoutMs?: number } = {}): Redis {
  return opened(redisUrl, {
    ...reconnect,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? 2_000,
  });
}

/** For BullMQ's workers, which block on Redis and wait for it for as long as it takes. */
export function openWorkerConnection(redisUrl: string): Redis {
  return opened(redisUrl, { ...reconnect, maxRetriesPerRequest: null });
}

function opened(redisUrl: string, options: RedisOptions): Redis {
  const redis = new Redis(redisUrl, options);
  // Commands report their own failures and readiness asks by PING; without a listener ioredis prints on stderr.
  redis.on('error', () => undefined);
  return redis;
}

/** Resolves when the connection can take commands; rejects after `timeoutMs` or when the connection was closed. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => done(new Error('Redis did not answer in time.')), timeoutMs);
    const done = (error?: Error) => {
      clearTimeout(timer);
      redis.off('ready', onReady).off('end', onEnd);
      if (error) reject(error);
      else resolve();
    };
    const onReady = () => done();
    const onEnd = () => done(new Error('The connection to Redis was closed.'));
    redis.on('ready', onReady).on('end', onEnd);
  });
}
