import type { Redis } from 'ioredis';
import { type Finding, fault, ok, warning } from '../finding.js';

/**
 * The sweeper needs ZMSCORE (https://redis.io/docs/latest/commands/zmscore), and BullMQ recommends Redis 6.2 or later.
 */
const OLDEST_VERSION = [6, 2] as const;
/** With the default of 10, delayed jobs can start up to 100 ms late. */
const RECOMMENDED_HZ = 100;
const NEARLY_FULL = 0.8;
const FULL = 0.95;

/** Only uses INFO, because many managed servers don't allow CONFIG. */
export async function examineRedis(redis: Redis): Promise<Finding[]> {
  const info = parseInfo(await redis.info());
  return [version(info), role(info), evictionPolicy(info), frequency(info), persistence(info), memory(info)];
}

type Info = ReadonlyMap<string, string>;

function parseInfo(text: string): Info {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );
}

function version(info: Info): Finding {
  const text = info.get('redis_version') ?? '';
  const valkey = info.get('valkey_version');
  const found = valkey === undefined ? `Redis ${text}.` : `Valkey ${valkey}, which reports Redis ${text}.`;
  return isBelow(text, OLDEST_VERSION)
    ? fault('redis.version', found, 'Upgrade to 6.2 or later, which the queue requires.')
    : ok('redis.version', found);
}

function isBelow(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor < major || (ownMajor === major && ownMinor < minor);
}

function role(info: Info): Finding {
  return info.get('role') === 'slave'
    ? fault('redis.role', 'Redis is a replica and rejects writes.', 'Set REDIS_URL to the primary.')
    : ok('redis.role', 'Redis accepts writes.');
}

function evictionPolicy(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  return policy === 'noeviction'
    ? ok('redis.eviction_policy', policy)
    : fault(
        'redis.eviction_policy',
        `With ${policy}, a full Redis deletes jobs, so retries are late.`,
        'Run CONFIG SET maxmemory-policy noeviction, and add maxmemory-policy noeviction to the Redis configuration.',
      );
}

function frequency(info: Info): Finding {
  const hz = Number(info.get('configured_hz') ?? info.get('hz'));
  return hz >= RECOMMENDED_HZ
    ? ok('redis.hz', String(hz))
    : warning(
        'redis.hz',
        `With hz ${hz}, retries start up to ${Math.round(1_000 / hz)} ms late.`,
        `Run CONFIG SET hz ${RECOMMENDED_HZ}, and add hz ${RECOMMENDED_HZ} to the Redis configuration.`,
      );
}

function persistence(info: Info): Finding {
  const appends = info.get('aof_enabled') === '1';
  if (appends && info.get('aof_last_write_status') === 'err') {
    return fault(
      'redis.persistence',
      'Redis cannot write its append-only file, and rejects writes until it can.',
      'Check the log and the disk of Redis.',
    );
  }
  if (info.get('rdb_last_bgsave_status') === 'err') {
    return fault(
      'redis.persistence',
      'The last snapshot of Redis failed. With stop-writes-on-bgsave-error, Redis rejects writes.',
      'Check the log and the disk of Redis, or switch snapshots off (save "").',
    );
  }
  return appends
    ? ok('redis.persistence', 'Redis writes an append-only file.')
    : warning(
        'redis.persistence',
        'Redis has no append-only file. After a restart, the sweeper refills the queue from PostgreSQL, and rate limits start from zero.',
        'Run CONFIG SET appendonly yes, and add appendonly yes to the Redis configuration.',
      );
}

function memory(info: Info): Finding {
  const [used, limit] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))];
  if (!(limit > 0)) return ok('redis.memory', `${megabytes(used)} MB used, no limit.`);
  const found = `${megabytes(used)} of ${megabytes(limit)} MB used.`;
  const fix = 'Raise maxmemory.';
  if (used >= limit * FULL) return fault('redis.memory', `${found} A full Redis rejects new jobs.`, fix);
  if (used >= limit * NEARLY_FULL) return warning('redis.memory', found, fix);
  return ok('redis.memory', found);
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0);
}
