import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { apiKeyStore } from '@artist-watch/persistence/api-key-store';
import { artistList } from '@artist-watch/persistence/artist-list';
import { openDatabase } from '@artist-watch/persistence/database';
import { feedStore } from '@artist-watch/persistence/feed-store';
import { usageStore } from '@artist-watch/persistence/usage-store';
import { openCommandConnection } from '@artist-watch/queue/connection';
import { DEFAULT_KEY_PREFIX } from '@artist-watch/queue/names';
import { type Clock, systemClock } from '@artist-watch/runtime/clock';
import type { StartedService } from '@artist-watch/runtime/lifecycle';
import { startOperationsServer } from '@artist-watch/runtime/operations-server';
import { reach } from '@artist-watch/runtime/reach';
import { describeSettings } from '@artist-watch/runtime/settings';
import { stopInOrder } from '@artist-watch/runtime/stop-in-order';
import { startApiServer } from './adapters/http/api-server.js';
import { frontDoor } from './adapters/http/front-door.js';
import { requestRecord } from './adapters/http/request-record.js';
import { createRouter } from './adapters/http/router.js';
import { redisRequestCounter } from './adapters/redis-request-counter.js';
import { Authentication } from './application/authentication.js';
import { createCursorSeal } from './application/cursor-seal.js';
import { FixedWindows } from './application/fixed-windows.js';
import { KnownKeys } from './application/known-keys.js';
import { RateLimit } from './application/rate-limit.js';
import type { Config } from './config.js';
import { listArtistsRoute } from './routes/list-artists/handler.js';
import { listChangesRoute } from './routes/list-changes/handler.js';
import { readUsageRoute } from './routes/read-usage/handler.js';

const HOUR_MS = 3_600_000;

/** A revoked key is refused within a second (DESIGN section 4, 401); the rest of it is for the look-up. */
const KEY_MAX_AGE_MS = 750;
const MAX_KNOWN_KEYS = 50_000;
const MAX_ANONYMOUS_ADDRESSES = 50_000;

/** A caller waits no longer for a database, or a Redis, that does not answer. */
const STATEMENT_TIMEOUT_MS = 3_000;
const DATABASE_ANSWER_TIMEOUT_MS = 4_000;
const DATABASE_CONNECT_TIMEOUT_MS = 2_000;
const REDIS_TIMEOUT_MS = 250;

export async function compose(
  config: Config,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<StartedService> {
  const log = createLogger({ service: 'api', level: config.LOG_LEVEL });
  const metrics = createMetrics({ service: 'api' });
  log.info('service.starting', { settings: describeSettings(config) });

  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    answerTimeoutMs: DATABASE_ANSWER_TIMEOUT_MS,
    connectTimeoutMs: DATABASE_CONNECT_TIMEOUT_MS,
    applicationName: 'artist-watch-api',
    onConnectionLost: (error) => log.warn('database.connection_lost', { error }),
  });
  await reach({ what: 'PostgreSQL', setting: 'DATABASE_URL', url: config.DATABASE_URL }, () =>
    database.pool.query('SELECT FROM accounts LIMIT 0'),
  );
  const redis = openCommandConnection(config.REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });

  const monotonicMs = () => performance.now();
  const fallbacks = metrics.counter({
    name: 'api_rate_limit_fallbacks_total',
    help: 'Requests that were counted in this process only, because Redis was away.',
  });
  const parserRefusals = metrics.counter({
    name: 'api_parser_refusals_total',
    help: 'What came in and never became a request.',
    labels: ['code'],
  });

  const routes = [
    listChangesRoute({ feed: feedStore(database), cursorSeal: createCursorSeal(config.ENCRYPTION_KEY) }),
    listArtistsRoute(artistList(database)),
    readUsageRoute(usageStore(database)),
  ];

  const server = await startApiServer({
    port: config.API_PORT,
    host: config.LISTEN_HOST,
    listener: frontDoor({
      authentication: new Authentication(
        new KnownKeys({
          directory: apiKeyStore(database),
          maxAgeMs: KEY_MAX_AGE_MS,
          maxKeys: MAX_KNOWN_KEYS,
          monotonicMs,
        }),
      ),
      rateLimit: new RateLimit({
        shared: redisRequestCounter(redis, DEFAULT_KEY_PREFIX, HOUR_MS / 1000),
        windowMs: HOUR_MS,
        monotonicMs,
        onFallback: (reason) => {
          fallbacks.inc();
          if (reason !== undefined) log.warn('rate_limit.fell_back', { error: reason });
        },
      }),
      anonymous: new FixedWindows({ windowMs: HOUR_MS, maxNames: MAX_ANONYMOUS_ADDRESSES }),
      clock,
      monotonicMs,
      onEnd: requestRecord(log, metrics),
      inside: createRouter(routes),
    }),
    onParserRefusal: (code, reason) => {
      parserRefusals.inc({ code });
      log.info('request.refused_by_parser', { code, reason });
    },
  });
  const operations = await startOperationsServer({
    port: config.OPS_PORT,
    host: config.LISTEN_HOST,
    signal,
    // Without Redis the API goes on answering, so Redis does not make it unready.
    checks: { postgres: () => database.ping() },
    metrics: metrics.registry,
  });

  return {
    addresses: { api: server.port, ops: operations.port },
    log,
    shutdownDeadlineMs: config.SHUTDOWN_DEADLINE,
    stop: (hurry) =>
      stopInOrder([
        { name: 'api server', stop: () => server.stop(hurry) },
        { name: 'redis', stop: async () => redis.disconnect() },
        { name: 'database', stop: () => database.close() },
        { name: 'operations server', stop: () => operations.stop() },
      ]),
  };
}
