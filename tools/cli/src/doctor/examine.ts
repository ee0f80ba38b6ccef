import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { type Database, openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import type { Clock } from '@artist-watch/runtime/clock';
import { reach } from '@artist-watch/runtime/lifecycle/reach';
import type { Redis } from 'ioredis';
import type { Config } from '../config.js';
import { examineClocks } from './checks/clocks.js';
import {
  examineConnections,
  examineDatabase,
  examineEncryptionKey,
  examineMigrations,
  type Replicas,
} from './checks/database.js';
import { examineEgressProxies } from './checks/egress-proxies.js';
import { examinePlatform } from './checks/platform.js';
import { examinePlatformView } from './checks/platform-view.js';
import { examineRedis } from './checks/redis.js';
import { type Finding, fault, ok, skipped, troubleOf } from './finding.js';
import { examineSettings, type ReadableSettings } from './known-settings.js';

const TIMEOUT_MS = 5_000;

/**
 * Looks at everything that the services run on, and changes nothing. What could not be looked at is reported as skipped;
 * no trouble of one part keeps the others from being looked at.
 */
export async function examine(
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  replicas: readonly Replicas[],
): Promise<readonly Finding[]> {
  const { settings, findings } = examineSettings(env);
  const database = settings.DATABASE_URL === undefined ? undefined : openForDoctor(settings.DATABASE_URL);
  const redis =
    settings.REDIS_URL === undefined
      ? undefined
      : openCommandConnection(settings.REDIS_URL, { commandTimeoutMs: TIMEOUT_MS });
  try {
    const [databaseReach, redisReach] = await Promise.all([
      reachRecord(database, settings.DATABASE_URL),
      redis
        ? reachRedis('redis.reachable', redis, 'REDIS_URL', settings.REDIS_URL)
        : skipped('redis.reachable', 'REDIS_URL is not set.'),
    ]);
    const reachedDatabase = databaseReach.state === 'ok' ? database : undefined;
    const reachedRedis = redisReach.state === 'ok' ? redis : undefined;
    const looks = await Promise.all([
      withIt('database', reachedDatabase, async (opened) => [
        ...(await examineDatabase(opened)),
        ...(await examineConnections(opened, replicas, settings.DATABASE_POOL_SIZE)),
      ]),
      withIt('migrations', reachedDatabase, examineMigrations),
      withIt('redis', reachedRedis, examineRedis),
      lookingAt('egress', () =>
        examineEgressProxies(settings.EGRESS_PROXY_URLS ?? [], settings.EGRESS_ALLOW_CIDRS ?? []),
      ),
      lookingAt('platform', () => lookAtPlatform(settings)),
      withIt('encryption_key', reachedDatabase, (opened) => lookAtKey(opened, settings)),
      withIt('clock', reachedDatabase, (opened) => examineClocks(clock, opened, reachedRedis)),
    ]);
    return [...findings, databaseReach, redisReach, ...looks.flat()];
  } finally {
    redis?.disconnect();
    await database?.close();
  }
}

/** Looks at the platform alone: its settings, the way to it, and what it shows of one artist. */
export async function examinePlatformAlone(
  config: Config,
  clock: Clock,
  artistId: string | undefined,
): Promise<readonly Finding[]> {
  const { settings, findings } = examineSettings(config.environment());
  const wrong = findings.filter(
    ({ check, state }) => state === 'fault' && /^settings\.(PLATFORM|SPOTIFY_)/.test(check),
  );
  if (wrong.length > 0) return wrong;
  const way = await lookingAt('platform', () => lookAtPlatform(settings));
  if (way.some(({ state }) => state === 'fault')) return way;
  return [...way, ...(await lookingAt('platform.artist', () => examinePlatformView(config.asking(), clock, artistId)))];
}

function openForDoctor(url: string): Database {
  return openDatabase({
    url,
    applicationName: 'artist-watch-doctor',
    poolSize: 2,
    connectTimeoutMs: TIMEOUT_MS,
    statementTimeoutMs: TIMEOUT_MS,
  });
}

async function reachRecord(database: Database | undefined, url = ''): Promise<Finding> {
  const check = 'database.reachable';
  if (!database) return skipped(check, 'DATABASE_URL is not set.');
  return reached(check, 'docs/runbooks/losing-postgres.md', () => reachDatabase(database, url, TIMEOUT_MS));
}

function reachRedis(check: string, redis: Redis, setting: string, url = ''): Promise<Finding> {
  return reached(check, 'docs/runbooks/losing-redis.md', () =>
    reach({ what: 'Redis', setting, url, timeoutMs: TIMEOUT_MS }, async () => {
      await whenReady(redis, TIMEOUT_MS);
      await redis.ping();
    }),
  );
}

async function reached(check: string, runbook: string, look: () => Promise<void>): Promise<Finding> {
  try {
    await look();
    return ok(check, 'It responds.');
  } catch (error) {
    return fault(check, error instanceof Error ? error.message : String(error), `See ${runbook}.`);
  }
}

function lookAtPlatform({ PLATFORM, PLATFORM_URL, PLATFORM_PROXY_URL }: ReadableSettings): Promise<Finding[]> {
  return examinePlatform({ platform: PLATFORM ?? 'deezer', url: PLATFORM_URL, proxyUrl: PLATFORM_PROXY_URL });
}

async function lookAtKey(database: Database, { ENCRYPTION_KEY, ENCRYPTION_KEYS_RETIRED }: ReadableSettings) {
  return ENCRYPTION_KEY === undefined
    ? [skipped('encryption_key', 'ENCRYPTION_KEY is not set.')]
    : examineEncryptionKey(database, ENCRYPTION_KEY, ENCRYPTION_KEYS_RETIRED ?? []);
}

/** A look that needs a server: skipped where that was not reached. */
function withIt<Server>(check: string, server: Server | undefined, look: (server: Server) => Promise<Finding[]>) {
  return lookingAt(check, async () =>
    server === undefined ? [skipped(check, 'Its server is unreachable.')] : look(server),
  );
}

async function lookingAt(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [
      fault(check, `The check failed: ${troubleOf(error)}.`, 'Fix the other findings, then run the doctor again.'),
    ];
  }
}
