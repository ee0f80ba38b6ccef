import { openPlatform } from '@artist-watch/catalogue/create-platform-client';
import { PictureSource } from '@artist-watch/catalogue/http/picture-source';
import { monitorRedis, openCommandConnection } from '@artist-watch/delivery/queue/connection';
import { type DeliveryQueue, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { startReleaseLoops } from '@artist-watch/delivery/release-loops';
import { PICTURE_ORIGINS } from '@artist-watch/domain/platform/picture-file';
import { startHttpServer } from '@artist-watch/http/server/http-server';
import { monitorDatabase } from '@artist-watch/observability/database-monitor';
import type { Logger } from '@artist-watch/observability/logger';
import { createTelemetry } from '@artist-watch/observability/tracing/open-tracing';
import { pictureStore } from '@artist-watch/persistence/change/pictures';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { readDetections } from '@artist-watch/persistence/polling/artist-rows';
import { dueArtists } from '@artist-watch/persistence/polling/due-artists';
import { prune } from '@artist-watch/persistence/retention';
import type { Clock } from '@artist-watch/runtime/clock';
import { type StartedService, stopInOrder } from '@artist-watch/runtime/lifecycle/lifecycle';
import { SHARED_STORES, startOperationsServer } from '@artist-watch/runtime/lifecycle/operations-server';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import { confirmationOf } from '@artist-watch/runtime/settings/setting-types';
import { reach } from '@artist-watch/runtime/settings/start-failure';
import type pg from 'pg';
import { startDatabaseClock } from './adapters/database-clock.js';
import { createDetectionLog, createIngestMetrics } from './adapters/detection-log.js';
import { ingestListener } from './adapters/ingest-listener.js';
import { startPictureLoop } from './adapters/picture-loop.js';
import { definePollingGauges, startPollingLoops } from './adapters/polling.js';
import { createPostgresObservationIntake } from './adapters/postgres-observation-intake.js';
import { createPostgresArtistIds, createPostgresReportedChanges } from './adapters/postgres-reported-changes.js';
import type { QueuePage } from './adapters/queue-page.js';
import { rotationOfHours } from './application/polling/poll-plan.js';
import { Poller } from './application/polling/poller.js';
import type { IngestConfig } from './config.js';

const INTERVAL_MS = 3_600_000;
/** Delays the first run, so that it doesn't add to the load at startup. */
const FIRST_AFTER_MS = 60_000;

/** Deletes expired rows every hour (docs/reference/service.md). */
function startRetention(options: {
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

const CLAIM_LEASE_MS = 60_000;
const DEEP_ROTATION_HOURS = 24;
const FULL_ROTATION_HOURS = 7 * 24;
/**
 * Cached query plans are discarded this often, because a single change can add 100,000 deliveries to a table that was
 * empty when the plan was made.
 */
const MAX_PLAN_AGE_MS = 5_000;

/** Sending a 5 MB body over a slow connection can take a minute. */
const INGEST_TIMEOUTS = { headersMs: 10_000, requestMs: 60_000, answerMs: 60_000 };

export async function compose(config: IngestConfig, signal: AbortSignal): Promise<StartedService> {
  const { log, metrics, tracing } = await createTelemetry('change-ingest', config);
  const ingestMetrics = createIngestMetrics(metrics);
  const platform = config.PLATFORM;

  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'change-ingest',
    maxPlanAgeMs: MAX_PLAN_AGE_MS,
    avoidSorts: true,
    poolSize: config.DATABASE_POOL_SIZE,
  });
  monitorDatabase({ all: database.pool }, { url: config.DATABASE_URL, log, metrics });
  const redis = openCommandConnection(config.REDIS_URL);
  monitorRedis(redis, { url: config.REDIS_URL, log, metrics });
  const queue = openDeliveryQueue({ redisUrl: config.REDIS_URL, prefix: config.REDIS_KEY_PREFIX });
  await reachDatabase(database, config.DATABASE_URL);
  await reach({ what: 'Redis', setting: 'REDIS_URL', url: config.REDIS_URL, timeoutMs: 5_000 }, () =>
    queue.whenReady(5_000),
  );

  const polling = new AbortController();
  const serving = new AbortController();
  const clock = await startDatabaseClock(database, serving.signal, (error) => log.error('clock.not_set', { error }));
  const detectionLog = createDetectionLog(log, ingestMetrics);
  const { client, budget } = openPlatform(config, {
    redis,
    clock,
    maxConnections: 4 * config.POLL_CONCURRENCY,
    onFallback(away, error) {
      if (away) ingestMetrics.budgetFallbacks.inc();
      log.warn(away ? 'platform_budget.lost' : 'platform_budget.back', { error });
    },
    onRequest: detectionLog.platformRequested,
  });
  const releaseLoops = startReleaseLoops({
    pool: database.pool,
    queue,
    log,
    metrics,
    signal: serving.signal,
    sweepIntervalMs: config.SWEEP_INTERVAL,
  });
  const retention = startRetention({ pool: database.pool, clock, log, signal: serving.signal });

  const pictureSource = new PictureSource({ origin: pictureOrigin(config), proxyUrl: config.PLATFORM_PROXY_URL });
  const pictureLoop = config.KEEP_PICTURES
    ? startPictureLoop({
        pictures: pictureStore(database),
        source: pictureSource,
        ...{ clock, log, metrics, signal: polling.signal },
      })
    : undefined;

  const intake = createPostgresObservationIntake({
    database,
    platform,
    clock,
    settings: {
      intervalFactor: config.POLL_INTERVAL_FACTOR,
      confirmIntervalMs: config.CONFIRM_INTERVAL,
      confirmation: confirmationOf(config),
    },
    wantsPictures: config.KEEP_PICTURES,
    tracing,
    onDeliveries: releaseLoops.nudge,
  });
  const poller = new Poller({
    due: dueArtists(database, { platform, leaseMs: CLAIM_LEASE_MS, intervalFactor: config.POLL_INTERVAL_FACTOR }),
    loadDetections: (artistIds, now) =>
      readDetections(database.pool, artistIds, now, (artistId, error) =>
        log.error('artist.record_unreadable', { artistId, error }),
      ),
    platform: client,
    pause: budget,
    intake,
    clock,
    rotations: {
      deep: rotationOfHours(DEEP_ROTATION_HOURS, config.POLL_INTERVAL_FACTOR),
      full: rotationOfHours(FULL_ROTATION_HOURS, config.POLL_INTERVAL_FACTOR),
    },
    concurrency: config.POLL_CONCURRENCY,
    log: detectionLog,
    tracing,
  });
  const intervalFactor = config.POLL_INTERVAL_FACTOR;
  definePollingGauges({ metrics, database, platform, intervalFactor, clock, poller, pause: budget });

  const reportedChanges = createPostgresReportedChanges({ database, platform, tracing, releaseLoops });
  const artistIdOf = createPostgresArtistIds(database, platform);
  const listener = ingestListener({
    tokens: config.INGEST_TOKEN,
    ...{ platform, clock, log, tracing, metrics: ingestMetrics },
    record: reportedChanges.record,
    snapshots: { artistIdOf, intake, onProcessed: detectionLog.ingested },
  });
  const ingest = await startHttpServer({
    port: config.INGEST_PORT,
    portSetting: 'INGEST_PORT',
    host: config.LISTEN_HOST,
    listener,
    stopping: signal,
    timeouts: { ...INGEST_TIMEOUTS, keepAliveMs: config.HTTP_KEEP_ALIVE },
    onRefusal: (code, reason) => log.info('request.refused_by_parser', { code, reason }),
    onSlowReader: () => log.info('request.slow_reader_cut'),
  });
  const queuePage = config.QUEUE_PAGE ? await openQueuePage(queue) : undefined;
  const operations = await startOperationsServer({
    port: config.OPS_PORT,
    host: config.LISTEN_HOST,
    signal,
    checks: SHARED_STORES,
    metrics: metrics.registry,
    ...(queuePage && { otherwise: queuePage.listener }),
  });
  const pollingLoops = startPollingLoops({ poller, log, signal: polling.signal, leaseMs: CLAIM_LEASE_MS });

  return {
    log,
    addresses: { ingest: ingest.port, ops: operations.port },
    shutdownDeadlineMs: config.SHUTDOWN_DEADLINE,
    lingerMs: config.SHUTDOWN_DELAY,
    async stop(forced) {
      polling.abort(new Error('change-ingest is stopping'));
      await stopInOrder([
        { name: 'ingest', stop: () => ingest.stop(forced) },
        { name: 'polling', stop: () => Promise.all([pollingLoops.done, pictureLoop?.done]) },
        { name: 'intake', stop: () => Promise.all([intake.stop(), reportedChanges.stop()]) },
        {
          name: 'loops',
          stop: () => {
            serving.abort();
            return Promise.all([releaseLoops.done, retention.done, clock.done]);
          },
        },
        {
          name: 'platform',
          stop: async () => {
            client.close();
            pictureSource.close();
          },
        },
        { name: 'queue', stop: () => queue.close() },
        { name: 'redis', stop: async () => redis.disconnect() },
        { name: 'database', stop: () => database.close() },
        { name: 'traces', stop: () => tracing.shutdown() },
        { name: 'operations', stop: () => operations.stop() },
      ]);
    },
  };
}

/** A simulated platform serves its own pictures. */
function pictureOrigin({ PLATFORM, PLATFORM_URL, PLATFORM_PICTURES_URL }: IngestConfig): string {
  const origin = PLATFORM_URL === undefined ? PICTURE_ORIGINS[PLATFORM] : new URL(PLATFORM_URL).origin;
  return PLATFORM_PICTURES_URL ?? origin;
}

async function openQueuePage({ queue }: DeliveryQueue): Promise<QueuePage> {
  const { createQueuePage } = await import('./adapters/queue-page.js');
  return createQueuePage(queue);
}
