import { createDeliveryConsumer } from '@artist-watch/delivery/consume/delivery-consumer';
import { createAttemptTrace, createDeliveryLog } from '@artist-watch/delivery/consume/delivery-log';
import { createDeliveryMetrics } from '@artist-watch/delivery/consume/delivery-metrics';
import { createPostgresDeliveryRecord } from '@artist-watch/delivery/consume/postgres-delivery-record';
import { AskedPauses } from '@artist-watch/delivery/decide/asked-pauses';
import { createDeliver } from '@artist-watch/delivery/decide/deliver';
import { DestinationShares } from '@artist-watch/delivery/decide/destination-shares';
import type { Monotonic } from '@artist-watch/delivery/decide/ports';
import { queueLayout } from '@artist-watch/delivery/queue/queue-layout';
import { createRetryRoom, openShardedDeliveryQueue } from '@artist-watch/delivery/queue/sharded-delivery-queue';
import { paceLimits, WARN_AT } from '@artist-watch/domain/delivery/retry-schedule';
import { throttled } from '@artist-watch/observability/log-lines';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { definePoolMetrics } from '@artist-watch/observability/pool-metrics';
import { openTracing } from '@artist-watch/observability/tracing/open-tracing';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { type StartedService, stopInOrder } from '@artist-watch/runtime/lifecycle/lifecycle';
import { startOperationsServer } from '@artist-watch/runtime/lifecycle/operations-server';
import { reach } from '@artist-watch/runtime/lifecycle/reach';
import { describeSettings } from '@artist-watch/runtime/settings/settings';
import { openEgressRoute } from './adapters/egress/egress-route.js';
import { ProxyPool } from './adapters/egress/proxy-pool.js';
import type { MakeRequest, RequestTimeouts } from './adapters/egress/request/make-request.js';
import { createNodeRequest } from './adapters/egress/request/node-request.js';
import { receiverAuthorities } from './adapters/egress/tls-over-tunnel.js';
import { IdleTunnels } from './adapters/egress/tunnel-agent.js';
import { createWebhookSender, FAIL_OVER_WITHIN_MS } from './adapters/egress/webhook-sender.js';
import { watchForStalls } from './adapters/stall-watch.js';
import type { WorkerConfig } from './config.js';

/**
 * For tunnel and handshake together; the answer has the whole of WEBHOOK_TIMEOUT after that. Longer than the egress
 * proxy's own timeout (8 s), or a receiver that cannot be reached would look like a proxy that is silent.
 */
const SHORTEST_CONNECT_TIMEOUT_MS = 10_000;
/** For signing, settling, and a busy event loop. */
const LEASE_MARGIN_MS = 5_000;
/**
 * Shorter than the 5 s after which common servers (Node, Apache, uvicorn) close an idle connection: a request that meets
 * the closing half-way is lost, and would be held against the receiver.
 */
const TUNNEL_IDLE_MS = 4_000;
/**
 * With the longest answer (10 s) shorter than SHUTDOWN_DEADLINE (25 s): a proxy that stops behind a name which others
 * answer to gets no new tunnel, and one that it has to a busy receiver would never be idle.
 */
const TUNNEL_MAX_AGE_MS = 10_000;
const QUICK_ANSWER_MS = 1_000;
/** A table may grow by some ten thousand deliveries meanwhile. */
const PLANS_LAST_MS = 5_000;

/** got takes 20 MB, and is loaded only where it is asked for. */
const SENDERS: Readonly<Record<WorkerConfig['WEBHOOK_SENDER'], (timeouts: RequestTimeouts) => Promise<MakeRequest>>> = {
  https: async (timeouts) => createNodeRequest(timeouts),
  got: async (timeouts) => (await import('./adapters/egress/request/got-request.js')).createGotRequest(timeouts),
};

const monotonic: Monotonic = { nowMs: () => performance.now() };

/** Starts a webhook worker. */
export async function compose(config: WorkerConfig, signal: AbortSignal): Promise<StartedService> {
  const log = createLogger({ service: 'webhook-worker', level: config.LOG_LEVEL });
  log.info('service.settings', describeSettings(config));
  const trouble = (where: string) => (error: unknown) => log.error(where, { error });
  const layout = queueLayout(config);
  const tracing = await openTracing({ service: 'webhook-worker', settings: config, log });
  const stopping = new AbortController();

  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'webhook-worker',
    plansLastMs: PLANS_LAST_MS,
    poolSize: config.DATABASE_POOL_SIZE,
    onConnectionLost: trouble('database.connection_lost'),
  });
  const queue = openShardedDeliveryQueue(layout);
  await reachDatabase(database, config.DATABASE_URL);
  await reach({ what: 'Redis', setting: layout.setting, url: layout.shards[0]?.redisUrl ?? '', timeoutMs: 5_000 }, () =>
    queue.whenReady(5_000),
  );

  const connectTimeoutMs = Math.max(config.WEBHOOK_TIMEOUT, SHORTEST_CONNECT_TIMEOUT_MS);
  const totalMs = connectTimeoutMs + config.WEBHOOK_TIMEOUT;
  const leaseMs = totalMs + FAIL_OVER_WITHIN_MS + LEASE_MARGIN_MS;
  const shares = new DestinationShares({ slots: config.WEBHOOK_CONCURRENCY, quickMs: QUICK_ANSWER_MS });
  const pauses = new AskedPauses();
  const metrics = createMetrics({ service: 'webhook-worker' });
  definePoolMetrics(metrics, { all: database.pool });
  const deliveryMetrics = createDeliveryMetrics(metrics, {
    slots: config.WEBHOOK_CONCURRENCY,
    inFlight: () => consumer.inHand,
  });

  const idleTunnels = new IdleTunnels(config.WEBHOOK_CONCURRENCY * 2);
  const routes = config.EGRESS_PROXY_URLS.map((proxyUrl) =>
    openEgressRoute(proxyUrl, monotonic, {
      connectTimeoutMs,
      idleTimeoutMs: TUNNEL_IDLE_MS,
      maxAgeMs: TUNNEL_MAX_AGE_MS,
      idleTunnels,
      ca: receiverAuthorities({ own: config.WEBHOOK_CA_FILE, nodes: config.NODE_EXTRA_CA_CERTS }),
      tracing,
    }),
  );
  const makeRequest = await SENDERS[config.WEBHOOK_SENDER]({ responseMs: config.WEBHOOK_TIMEOUT, totalMs });
  const stalls = watchForStalls(monotonic);
  const sender = createWebhookSender({
    pool: new ProxyPool(routes),
    makeRequest,
    monotonic,
    stalledSince: stalls.stalledSince,
    onEnded: (proxy, outcome, error) => deliveryMetrics.egressRequests.inc({ proxy, outcome, error }),
  });
  const record = createPostgresDeliveryRecord({
    pool: database.pool,
    monotonic,
    leaseMs,
    limits: {
      warnAt: WARN_AT,
      switchOffAfter: config.WEBHOOK_SWITCH_OFF_AFTER,
      pace: paceLimits(config.WEBHOOK_RETRY_DELAYS),
    },
    tracing,
    signal: stopping.signal,
    onTrouble: (where, error) => log.error(where, { error }),
  });
  const retries = createRetryRoom(queue.shards, {
    maxDelayed: config.WEBHOOK_QUEUE_MAX_DELAYED,
    signal: stopping.signal,
    onError: trouble('queue.depth'),
  });
  const deliver = createDeliver({
    record,
    sender,
    secrets: createSecretBox(config.ENCRYPTION_KEY, config.ENCRYPTION_KEYS_RETIRED),
    shares,
    pauses,
    retries,
    log: createDeliveryLog(log, deliveryMetrics),
    trace: createAttemptTrace(tracing),
    monotonic,
    random: Math.random,
    retryDelaysMs: config.WEBHOOK_RETRY_DELAYS,
    claimIsFreshMs: LEASE_MARGIN_MS,
  });
  const consumer = createDeliveryConsumer({
    layout,
    concurrency: config.WEBHOOK_CONCURRENCY,
    handle: deliver,
    // BullMQ asks again without a pause when a Redis refuses what it asks.
    onTrouble: throttled((error, unsaid) => log.error('queue.trouble', { error, unsaid }), monotonic.nowMs),
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
      // A settlement that still cannot be written then is given up; its delivery is sent again.
      forced.addEventListener('abort', () => stopping.abort(), { once: true });
      await stopInOrder([
        { name: 'consumer', stop: () => consumer.stop() },
        {
          name: 'loops',
          stop: async () => {
            stopping.abort();
            await retries.done;
          },
        },
        { name: 'record', stop: () => record.stop() },
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
