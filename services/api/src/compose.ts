import { monitorRedis, openCommandConnection } from '@artist-watch/delivery/queue/connection';
import type { Principal } from '@artist-watch/domain/account/actor';
import { type Directory, HolderCache } from '@artist-watch/http/limit/holder-cache';
import { destinationLimits, FixedWindows, RequestsInProgress, requestLimit } from '@artist-watch/http/limit/rate-limit';
import { clientAddressReader } from '@artist-watch/http/request/request-head';
import { requestRecord, requestTrace } from '@artist-watch/http/request-record';
import { startHttpServer } from '@artist-watch/http/server/http-server';
import { monitorDatabase } from '@artist-watch/observability/database-monitor';
import { throttled } from '@artist-watch/observability/logger';
import { createTelemetry } from '@artist-watch/observability/tracing/open-tracing';
import { findPrincipal } from '@artist-watch/persistence/account/api-keys';
import { feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { recordUsage } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { openDatabases, reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { hasUnpausedDestination } from '@artist-watch/persistence/destination/reads';
import { idempotencyStore } from '@artist-watch/persistence/idempotency-store';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { type Clock, monotonicMs, systemClock } from '@artist-watch/runtime/clock';
import { type StartedService, stopInOrder } from '@artist-watch/runtime/lifecycle/lifecycle';
import { SHARED_STORES, startOperationsServer } from '@artist-watch/runtime/lifecycle/operations-server';
import { every } from '@artist-watch/runtime/periodic';
import { confirmationOf } from '@artist-watch/runtime/settings/setting-types';
import { reach } from '@artist-watch/runtime/settings/start-failure';
import { openTrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { type ApiContext, accessMiddleware } from './adapters/http/access-middleware.js';
import { createDocsPage, createEgressPage } from './adapters/http/public-pages.js';
import type { RouteParts } from './adapters/http/route.js';
import { createRouter } from './adapters/http/router.js';
import { createAuthentication, UsageCount } from './application/authentication.js';
import { createCursorSeal } from './application/list-page.js';
import type { ApiConfig } from './config.js';
import { accountRoutes } from './routes/account/account.js';
import { artistRoutes } from './routes/artists/artists.js';
import { changeRoutes } from './routes/changes/changes.js';
import { deliveryRoutes } from './routes/deliveries/deliveries.js';
import { destinationRoutes } from './routes/destinations/destinations.js';

const HOUR_MS = 3_600_000;

/** Revoked keys must be rejected within a second (docs/api/requests.md), including the time for the next lookup. */
const KEY_MAX_AGE_MS = 750;
/** Requests in progress include up to 100 waiting writes and up to 100 waiting expensive reads. */
const ACCOUNT_IN_PROGRESS = { atOnce: 128, maxWaiting: 500 };
const MAX_ANONYMOUS_ADDRESSES = 50_000;

const REDIS_TIMEOUT_MS = 1_500;

const SILENCE_TIMEOUT_MS = 60_000;

/** Requests appear in `GET /usage/history` and `last_used_at` within this time. */
const USAGE_WRITE_INTERVAL_MS = 30_000;

export interface ApiParts {
  readonly clock?: Clock;
  /** Tests with many concurrent writes need more time on a slow machine. */
  readonly accountWaitMs?: number;
}

export async function compose(
  config: ApiConfig,
  signal: AbortSignal,
  { clock = systemClock, accountWaitMs }: ApiParts = {},
): Promise<StartedService> {
  const { log, metrics, tracing } = await createTelemetry('api', config);
  const trace = requestTrace(tracing, 'customers');

  const { reads, writes } = openDatabases('api', config, {
    ...(accountWaitMs !== undefined && { accountWaitMs }),
  });
  monitorDatabase({ reads: reads.pool, writes: writes.pool }, { url: config.DATABASE_URL, log, metrics });
  await Promise.all([reads, writes].map((database) => reachDatabase(database, config.DATABASE_URL)));
  await reach({ what: 'PostgreSQL', setting: 'DATABASE_URL', url: config.DATABASE_URL }, () =>
    reads.pool.query('SELECT FROM accounts LIMIT 0'),
  );
  const redis = openCommandConnection(config.REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  monitorRedis(redis, { url: config.REDIS_URL, log, metrics });
  const tools = openTrackLookup({ config, reads, writes, redis, clock, log, metrics });
  const box = createSecretBox(config.ENCRYPTION_KEY, config.ENCRYPTION_KEYS_RETIRED);

  const requestSeconds = metrics.histogram({
    name: 'artist_watch_api_request_seconds',
    help: 'Seconds from the arrival of a request to the end of its response. Route `none`: the response was sent before a route was chosen, for example because the API key was invalid.',
    labels: ['method', 'route', 'status'],
  });
  const fallbacks = metrics.counter({
    name: 'artist_watch_api_rate_limit_fallbacks_total',
    help: 'Requests counted against the rate limits in this process only, because Redis was down.',
  });
  const slowReaders = metrics.counter({
    name: 'artist_watch_api_slow_readers_cut_total',
    help: 'Connections closed because the client did not read the response.',
  });
  const parserRefusals = metrics.counter({
    name: 'artist_watch_api_parser_refusals_total',
    help: 'Connections closed before a complete, valid HTTP request arrived, by reason.',
    labels: ['code'],
  });

  const logFallback = throttled(
    (error, suppressed) => log.warn('rate_limit.fell_back', { error, suppressed }),
    () => performance.now(),
  );
  const onFallback = (reason: unknown) => {
    fallbacks.inc();
    if (reason !== undefined) logFallback(reason);
  };
  const limits = destinationLimits(redis, { redisKeyPrefix: config.REDIS_KEY_PREFIX, monotonicMs, onFallback });
  const parts: RouteParts = {
    reads,
    writes,
    platform: config.PLATFORM,
    intervalFactor: config.POLL_INTERVAL_FACTOR,
    tools,
    box,
    limits,
    confirmation: confirmationOf(config),
    allowCidrs: config.EGRESS_ALLOW_CIDRS,
    dashboardUrl: config.DASHBOARD_URL,
    stopping: signal,
    cursorSeal: createCursorSeal(config.ENCRYPTION_KEY, config.ENCRYPTION_KEYS_RETIRED),
  };
  const routes = [changeRoutes, artistRoutes, accountRoutes, destinationRoutes, deliveryRoutes].flatMap((routesFor) =>
    routesFor(parts),
  );
  const usage = new UsageCount();
  const writeUsage = () => usage.write((seen) => recordUsage(writes.pool, seen));
  const usageWriter = every({
    intervalMs: USAGE_WRITE_INTERVAL_MS,
    firstAfterMs: USAGE_WRITE_INTERVAL_MS,
    signal,
    run: writeUsage,
    onError: (error) => log.warn('usage.not_written', { error }),
  });
  const record = requestRecord<ApiContext>(log, ({ method, route, status, seconds }) =>
    requestSeconds.observe({ method, route, status }, seconds),
  );
  const server = await startHttpServer({
    port: config.API_PORT,
    portSetting: 'API_PORT',
    host: config.LISTEN_HOST,
    stopping: signal,
    listener: trace.around(
      accessMiddleware({
        authentication: createAuthentication(
          new HolderCache<Principal>({
            directory: { findHolder: (sha256) => findPrincipal(reads, sha256) },
            maxAgeMs: KEY_MAX_AGE_MS,
            monotonicMs,
          }),
          new HolderCache<Principal>({ directory: feedDirectory(reads), maxAgeMs: KEY_MAX_AGE_MS, monotonicMs }),
          clock,
        ),
        rateLimit: requestLimit(redis, { redisKeyPrefix: config.REDIS_KEY_PREFIX, monotonicMs, onFallback }),
        inProgress: new RequestsInProgress(ACCOUNT_IN_PROGRESS),
        anonymous: new FixedWindows({ windowMs: HOUR_MS, maxNames: MAX_ANONYMOUS_ADDRESSES }),
        clock,
        monotonicMs,
        clientAddressOf: clientAddressReader(config.TRUSTED_PROXY_CIDRS, (peer) =>
          log.warn('forwarded_for.untrusted', { peer }),
        ),
        onEnd: trace.atEnd<ApiContext>((context, durationMs) => {
          const { principal, outcome, now } = context;
          if (principal && outcome.code !== 'rate_limited') usage.count(principal, now);
          record(context, durationMs);
        }),
        publicPages: [createDocsPage(config.PLATFORM), createEgressPage(config.EGRESS_PUBLIC_ADDRESSES)],
        privateRoutes: createRouter(routes, {
          publicUrl: config.API_PUBLIC_URL,
          hasDestination: (accountId) => hasUnpausedDestination(reads, accountId),
          record: idempotencyStore(writes, box),
          turns: writes.perAccount,
          onNotKept: (error) => log.warn('idempotency.answer_not_kept', { error }),
        }),
      }),
    ),
    timeouts: {
      headersMs: config.API_HEADERS_TIMEOUT,
      requestMs: config.API_REQUEST_TIMEOUT,
      answerMs: config.API_ANSWER_TIMEOUT,
      silenceMs: SILENCE_TIMEOUT_MS,
      keepAliveMs: config.HTTP_KEEP_ALIVE,
    },
    onRefusal: (code, reason) => {
      parserRefusals.inc({ code });
      log.info('request.refused_by_parser', { code, reason });
    },
    onSlowReader: () => slowReaders.inc(),
  });
  const operations = await startOperationsServer({
    port: config.OPS_PORT,
    host: config.LISTEN_HOST,
    signal,
    checks: SHARED_STORES,
    metrics: metrics.registry,
  });

  return {
    addresses: { api: server.port, ops: operations.port },
    log,
    shutdownDeadlineMs: config.SHUTDOWN_DEADLINE,
    lingerMs: config.SHUTDOWN_DELAY,
    stop: (forced) =>
      stopInOrder([
        { name: 'api server', stop: () => server.stop(forced) },
        { name: 'tools', stop: async () => tools.close() },
        {
          name: 'usage',
          stop: async () => {
            await usageWriter.done;
            await writeUsage().catch((error: unknown) => log.warn('usage.not_written', { error }));
          },
        },
        { name: 'redis', stop: async () => redis.disconnect() },
        { name: 'database', stop: () => Promise.all([reads.close(), writes.close()]) },
        { name: 'traces', stop: () => tracing.shutdown() },
        { name: 'operations server', stop: () => operations.stop() },
      ]),
  };
}

/** A feed token can only read its own feed. */
function feedDirectory(reads: Database): Directory<Principal> {
  const feeds = feedTokenStore(reads);
  return {
    async findHolder(tokenSha256) {
      const reader = await feeds.findReader(tokenSha256);
      return reader && { ...reader, keyId: reader.tokenId, scopes: ['read'], keepsDestinations: false };
    },
  };
}
