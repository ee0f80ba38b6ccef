import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { type Database, openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import type { Clock } from '@artist-watch/runtime/clock';
import { reach } from '@artist-watch/runtime/settings/start-failure';
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
import { examineMailServer } from './checks/mail-server.js';
import { examinePlatform } from './checks/platform.js';
import { examinePlatformView } from './checks/platform-view.js';
import { examineRedis } from './checks/redis.js';
import { describeError, type Finding, fault, ok, skipped } from './finding.js';
import { examineSettings, type ReadableSettings } from './known-settings.js';

const TIMEOUT_MS = 5_000;

/** Runs checks that change nothing. If one fails, the others still run. */
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
      reachPostgres(database, settings.DATABASE_URL),
      redis
        ? reachRedis('redis.reachable', redis, 'REDIS_URL', settings.REDIS_URL)
        : skipped('redis.reachable', 'REDIS_URL is not set.'),
    ]);
    const reachedDatabase = databaseReach.state === 'ok' ? database : undefined;
    const reachedRedis = redisReach.state === 'ok' ? redis : undefined;
    const results = await Promise.all([
      checkServer('database', reachedDatabase, async (opened) => [
        ...(await examineDatabase(opened)),
        ...(await examineConnections(opened, replicas, settings.DATABASE_POOL_SIZE)),
      ]),
      checkServer('migrations', reachedDatabase, examineMigrations),
      checkServer('redis', reachedRedis, examineRedis),
      runCheck('egress', () =>
        examineEgressProxies(settings.EGRESS_PROXY_URLS ?? [], settings.EGRESS_ALLOW_CIDRS ?? []),
      ),
      runCheck('platform', () => checkPlatform(settings)),
      runCheck('mail', () => examineMailServer(settings.SMTP_URL, TIMEOUT_MS)),
      checkServer('encryption_key', reachedDatabase, (opened) => checkEncryptionKey(opened, settings)),
      checkServer('clock', reachedDatabase, (opened) => examineClocks(clock, opened, reachedRedis)),
    ]);
    return [...findings, databaseReach, redisReach, ...results.flat()];
  } finally {
    redis?.disconnect();
    await database?.close();
  }
}

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
  const connection = await runCheck('platform', () => checkPlatform(settings));
  if (connection.some(({ state }) => state === 'fault')) return connection;
  return [
    ...connection,
    ...(await runCheck('platform.artist', () => examinePlatformView(config.platformAccess(), clock, artistId))),
  ];
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

async function reachPostgres(database: Database | undefined, url = ''): Promise<Finding> {
  const check = 'database.reachable';
  if (!database) return skipped(check, 'DATABASE_URL is not set.');
  return report(check, 'docs/runbooks/losing-postgres.md', () => reachDatabase(database, url, TIMEOUT_MS));
}

function reachRedis(check: string, redis: Redis, setting: string, url = ''): Promise<Finding> {
  return report(check, 'docs/runbooks/losing-redis.md', () =>
    reach({ what: 'Redis', setting, url, timeoutMs: TIMEOUT_MS }, async () => {
      await whenReady(redis, TIMEOUT_MS);
      await redis.ping();
    }),
  );
}

async function report(check: string, runbook: string, connect: () => Promise<void>): Promise<Finding> {
  try {
    await connect();
    return ok(check, 'The server responds.');
  } catch (error) {
    return fault(check, error instanceof Error ? error.message : String(error), `See ${runbook}.`);
  }
}

function checkPlatform({ PLATFORM, PLATFORM_URL, PLATFORM_PROXY_URL }: ReadableSettings): Promise<Finding[]> {
  return examinePlatform({ platform: PLATFORM ?? 'deezer', url: PLATFORM_URL, proxyUrl: PLATFORM_PROXY_URL });
}

async function checkEncryptionKey(database: Database, { ENCRYPTION_KEY, ENCRYPTION_KEYS_RETIRED }: ReadableSettings) {
  return ENCRYPTION_KEY === undefined
    ? [skipped('encryption_key', 'ENCRYPTION_KEY is not set.')]
    : examineEncryptionKey(database, ENCRYPTION_KEY, ENCRYPTION_KEYS_RETIRED ?? []);
}

/** Skips the check if the server it needs is unreachable. */
function checkServer<Server>(check: string, server: Server | undefined, run: (server: Server) => Promise<Finding[]>) {
  return runCheck(check, async () =>
    server === undefined ? [skipped(check, 'The server for this check is unreachable.')] : run(server),
  );
}

async function runCheck(check: string, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [
      fault(check, `The check failed: ${describeError(error)}.`, 'Fix the other findings, then run the doctor again.'),
    ];
  }
}
