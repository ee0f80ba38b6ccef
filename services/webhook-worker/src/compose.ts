import { createDeliver } from '@artist-watch/delivery/deliver';
import { createDeliveryLog, createDeliveryMetrics } from '@artist-watch/delivery/delivery-log';
import { monitorRedis } from '@artist-watch/delivery/queue/connection';
import { createDeliveryConsumer, openDeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { RequestSlots } from '@artist-watch/delivery/request-slots';
import { pausesMs, WARN_AT } from '@artist-watch/domain/delivery/retry-schedule';
import { monitorDatabase } from '@artist-watch/observability/database-monitor';
import { throttled } from '@artist-watch/observability/logger';
import { createTelemetry } from '@artist-watch/observability/tracing/open-tracing';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { monotonicMs } from '@artist-watch/runtime/clock';
import { type StartedService, stopInOrder } from '@artist-watch/runtime/lifecycle/lifecycle';
import { startOperationsServer } from '@artist-watch/runtime/lifecycle/operations-server';
import { reach } from '@artist-watch/runtime/settings/start-failure';
import { openEgressRoute } from './adapters/egress/egress-route.js';
import { receiverAuthorities } from './adapters/egress/tls-over-tunnel.js';
import { IdleTunnels } from './adapters/egress/tunnel-agent.js';
import { createWebhookSender, FAIL_OVER_WITHIN_MS, watchForStalls } from './adapters/egress/webhook-sender.js';
import type { WorkerConfig } from './config.js';

/**
 * This timeout must exceed EGRESS_CONNECT_TIMEOUT (8 s by default), or else an unreachable receiver would look like an
 * unresponsive proxy.
 */
const MIN_CONNECT_TIMEOUT_MS = 10_000;
/** The lease also has to cover signing, settling and a busy event loop. */
const LEASE_MARGIN_MS = 5_000;
/**
 * Shorter than the 5 s after which common servers (Node, Apache, uvicorn) close idle connections. A request sent while
 * the connection is closing would be lost.
 */
const TUNNEL_IDLE_MS = 4_000;
/**
 * The maximum age plus the longest response (10 s) is less than SHUTDOWN_DEADLINE (25 s), so when a proxy stops, its
 * tunnels end in time.
 */
const TUNNEL_MAX_AGE_MS = 10_000;
/** Query plans are replaced after this time, because tables can grow quickly. */
const MAX_PLAN_AGE_MS = 5_000;

export async function compose(config: WorkerConfig, signal: AbortSignal): Promise<StartedService> {
  const { log, metrics, tracing } = await createTelemetry('webhook-worker', config);
  const location = { redisUrl: config.REDIS_URL, prefix: config.REDIS_KEY_PREFIX };
  const stopping = new AbortController();

  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'webhook-worker',
    maxPlanAgeMs: MAX_PLAN_AGE_MS,
    avoidSorts: true,
    poolSize: config.DATABASE_POOL_SIZE,
  });
  const queue = openDeliveryQueue(location);
  await reachDatabase(database, config.DATABASE_URL);
  await reach({ what: 'Redis', setting: 'REDIS_URL', url: config.REDIS_URL, timeoutMs: 5_000 }, () =>
    queue.whenReady(5_000),
  );

  const connectTimeoutMs = Math.max(config.WEBHOOK_TIMEOUT, MIN_CONNECT_TIMEOUT_MS);
  const totalMs = connectTimeoutMs + config.WEBHOOK_TIMEOUT;
  const leaseMs = totalMs + FAIL_OVER_WITHIN_MS + LEASE_MARGIN_MS;
  const slots = new RequestSlots(config.WEBHOOK_CONCURRENCY);
  monitorDatabase({ all: database.pool }, { url: config.DATABASE_URL, log, metrics });
  monitorRedis(queue.redis, { url: config.REDIS_URL, log, metrics });
  const deliveryMetrics = createDeliveryMetrics(metrics, slots);

  const idleTunnels = new IdleTunnels(config.WEBHOOK_CONCURRENCY * 2);
  const routes = config.EGRESS_PROXY_URLS.map((proxyUrl) =>
    openEgressRoute(proxyUrl, {
      connectTimeoutMs,
      idleTimeoutMs: TUNNEL_IDLE_MS,
      maxAgeMs: TUNNEL_MAX_AGE_MS,
      idleTunnels,
      ca: receiverAuthorities(config.WEBHOOK_CA_FILE, config.NODE_EXTRA_CA_CERTS),
      tracing,
    }),
  );
  const stalls = watchForStalls();
  const send = createWebhookSender({
    routes,
    timeouts: { responseMs: config.WEBHOOK_TIMEOUT, totalMs },
    stalledSince: stalls.stalledSince,
    egressRequests: deliveryMetrics.egressRequests,
  });
  const secrets = createSecretBox(config.ENCRYPTION_KEY, config.ENCRYPTION_KEYS_RETIRED);
  const { deliver, stop: stopDelivering } = createDeliver({
    pool: database.pool,
    queue,
    send,
    openSecret: secrets.open,
    slots,
    limits: {
      warnAt: WARN_AT,
      switchOffAfter: config.WEBHOOK_SWITCH_OFF_AFTER,
      pausesMs: pausesMs(config.WEBHOOK_RETRY_DELAYS),
    },
    retryDelaysMs: config.WEBHOOK_RETRY_DELAYS,
    dashboardUrl: config.DASHBOARD_URL,
    log: createDeliveryLog(log, deliveryMetrics),
    tracing,
    leaseMs,
    timeoutMs: config.WEBHOOK_TIMEOUT,
    claimIsFreshMs: LEASE_MARGIN_MS,
    signal: stopping.signal,
  });
  const consumer = createDeliveryConsumer({
    ...location,
    concurrency: config.WEBHOOK_CONCURRENCY,
    handle: deliver,
    // Throttled, because BullMQ retries a rejected command without pausing.
    onError: throttled((error, suppressed) => log.error('queue.trouble', { error, suppressed }), monotonicMs),
  });
  const operations = await startOperationsServer({
    port: config.OPS_PORT,
    host: config.LISTEN_HOST,
    signal,
    checks: { postgres: () => database.ping(), redis: () => queue.ping() },
    metrics: metrics.registry,
  });
  consumer.start();

  return {
    log,
    addresses: { ops: operations.port },
    shutdownDeadlineMs: config.SHUTDOWN_DEADLINE,
    async stop(forced) {
      // A forced stop abandons settlements that haven't been written yet, so their deliveries are sent again.
      forced.addEventListener('abort', () => stopping.abort(), { once: true });
      await stopInOrder([
        { name: 'consumer', stop: () => consumer.stop() },
        {
          name: 'settlements',
          stop: () => {
            stopping.abort();
            return stopDelivering();
          },
        },
        {
          name: 'tunnels',
          stop: async () => {
            for (const route of routes) route.close();
          },
        },
        { name: 'stall watch', stop: async () => stalls.stop() },
        { name: 'queue', stop: () => queue.close() },
        { name: 'database', stop: () => database.close() },
        { name: 'traces', stop: () => tracing.shutdown() },
        { name: 'operations', stop: () => operations.stop() },
      ]);
    },
  };
}
