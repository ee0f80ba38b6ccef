import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

export interface GivenRedis {
  readonly url: string;
  /** Empties and releases the logical database. */
  release(): Promise<void>;
}

const connectTimeoutMs = 3_000;
const databases = 16;
const claimKey = 'artist-watch:stack';
const claimMs = 60_000;

/**
 * Claims an empty logical database if the URL doesn't specify one, so that stacks don't share queues. Returns undefined
 * if Redis doesn't respond.
 */
export async function givenRedis(url: string): Promise<GivenRedis | undefined> {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: connectTimeoutMs, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
  } catch {
    redis.disconnect();
    return undefined;
  }
  if (new URL(url).pathname.length > 1) {
    redis.disconnect();
    return { url, release: async () => undefined };
  }
  return claimEmptyDatabase(redis, url);
}

async function claimEmptyDatabase(redis: Redis, url: string): Promise<GivenRedis> {
  const token = randomUUID();
  for (let database = 0; database < databases; database += 1) {
    const selected = await redis.select(database).catch(() => undefined);
    if (selected === undefined) break;
    if ((await redis.dbsize()) > 0) continue;
    if ((await redis.set(claimKey, token, 'PX', claimMs, 'NX')) === null) continue;
    const renewal = setInterval(() => void redis.pexpire(claimKey, claimMs).catch(() => undefined), claimMs / 4);
    renewal.unref();
    const claimed = new URL(url);
    claimed.pathname = `/${database}`;
    return {
      url: claimed.href,
      async release() {
        clearInterval(renewal);
        if ((await redis.get(claimKey).catch(() => undefined)) === token) await redis.flushdb().catch(() => undefined);
        redis.disconnect();
      },
    };
  }
  redis.disconnect();
  throw new Error('The Redis of REDIS_URL has no empty logical database. Add one to the URL, such as /1.');
}
