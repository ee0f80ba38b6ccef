import type { RequestListener } from 'node:http';
import { monitorRedis, openCommandConnection } from '@artist-watch/delivery/queue/connection';
import { signInProofs } from '@artist-watch/domain/account/credentials';
import { unsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { HolderCache } from '@artist-watch/http/limit/holder-cache';
import { destinationLimits, requestLimit } from '@artist-watch/http/limit/rate-limit';
import { clientAddressReader } from '@artist-watch/http/request/request-head';
import { requestRecord, requestTrace } from '@artist-watch/http/request-record';
import { startHttpServer } from '@artist-watch/http/server/http-server';
import { memberMails } from '@artist-watch/mail/kinds/member-mails';
import { signInMails } from '@artist-watch/mail/kinds/sign-in';
import { startMailer, startMailMaking } from '@artist-watch/mail/mailer';
import { smtpTransport } from '@artist-watch/mail/transport';
import { monitorDatabase } from '@artist-watch/observability/database-monitor';
import { throttled } from '@artist-watch/observability/logger';
import { createTelemetry } from '@artist-watch/observability/tracing/open-tracing';
import { type FeedReader, feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { changeShareStore, type SharedChange } from '@artist-watch/persistence/change/change-shares';
import { openDatabases, reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { mailOutbox } from '@artist-watch/persistence/mail/outbox';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { signInStore } from '@artist-watch/persistence/sign-in/requests';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import { type Clock, monotonicMs, systemClock } from '@artist-watch/runtime/clock';
import { type StartedService, stopInOrder } from '@artist-watch/runtime/lifecycle/lifecycle';
import { SHARED_STORES, startOperationsServer } from '@artist-watch/runtime/lifecycle/operations-server';
import { confirmationOf } from '@artist-watch/runtime/settings/setting-types';
import { openTrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { Admission } from './adapters/http/admission.js';
import { Answers } from './adapters/http/answer.js';
import { openAssets, readReceivers } from './adapters/http/assets.js';
import { pageListener } from './adapters/http/listener.js';
import { cookieJar, type PageContext, type Site, securityHeaders } from './adapters/http/page-context.js';
import { Visits } from './adapters/http/visits.js';
import type { DashboardConfig } from './config.js';
import { allGuestPages, allPages } from './pages/all.js';

const REDIS_TIMEOUT_MS = 1_500;

/** Time limits for receiving a request's headers, and for the client to read the response. */
const HEADERS_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 60_000;
const SILENCE_TIMEOUT_MS = 60_000;

/** Tokens for feeds and share links are looked up on every request, so that revoking them takes effect immediately. */
const TOKEN_MAX_AGE_MS = 0;

export interface DashboardParts {
  readonly clock?: Clock;
}

export async function compose(
  config: DashboardConfig,
  signal: AbortSignal,
  { clock = systemClock }: DashboardParts = {},
): Promise<StartedService> {
  const { log, metrics, tracing } = await createTelemetry('dashboard', config);
  const trace = requestTrace(tracing, 'customers');
  const { reads, writes } = openDatabases('dashboard', config);
  monitorDatabase({ reads: reads.pool, writes: writes.pool }, { url: config.DATABASE_URL, log, metrics });
  await Promise.all([reads, writes].map((database) => reachDatabase(database, config.DATABASE_URL)));

  const redis = openCommandConnection(config.REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  monitorRedis(redis, { url: config.REDIS_URL, log, metrics });
  const limitFallbacks = metrics.counter({
    name: 'artist_watch_dashboard_limit_fallbacks_total',
    help: 'Tests, resends and feed reads counted against their limits in this process only, because Redis was down.',
  });
  const tools = openTrackLookup({ config, reads, writes, redis, clock, log, metrics });

  const assets = await openAssets();
  const requestSeconds = metrics.histogram({
    name: 'artist_watch_dashboard_request_seconds',
    help:
      'Seconds from the arrival of a request to the end of its response. If a page fails ' +
      'after a part of it was sent, `status` is the status of the failure.',
    labels: ['method', 'route', 'status'],
  });
  const slowReaders = metrics.counter({
    name: 'artist_watch_dashboard_slow_readers_cut_total',
    help: 'Connections closed because the client did not read the response.',
  });
  const parserRefusals = metrics.counter({
    name: 'artist_watch_dashboard_parser_refusals_total',
    help: 'Connections closed before a complete, valid HTTP request arrived, by reason.',
    labels: ['code'],
  });
  const proofs = signInProofs(config.ENCRYPTION_KEY);
  const unsubscribes = unsubscribeProofs(config.ENCRYPTION_KEY);
  const transport = smtpTransport(config.SMTP_URL, config.MAIL_FROM);
  const logFallback = throttled(
    (error, suppressed) => log.warn('rate_limit.fell_back', { error, suppressed }),
    () => performance.now(),
  );
  const onFallback = (reason: unknown) => {
    limitFallbacks.inc();
    if (reason !== undefined) logFallback(reason);
  };
  const parts = {
    reads,
    writes,
    watching: {
      platform: config.PLATFORM,
      intervalFactor: config.POLL_INTERVAL_FACTOR,
      confirmation: confirmationOf(config),
    },
    signIns: signInStore({ reads, writes }, proofs),
    tools,
    switchOffAfter: config.WEBHOOK_SWITCH_OFF_AFTER,
    box: createSecretBox(config.ENCRYPTION_KEY),
    allowCidrs: config.EGRESS_ALLOW_CIDRS,
    dashboardUrl: config.DASHBOARD_URL,
    limits: destinationLimits(redis, { redisKeyPrefix: config.REDIS_KEY_PREFIX, monotonicMs, onFallback }),
    stopping: signal,
    receivers: await readReceivers(),
    shares: new HolderCache<SharedChange>({
      directory: { findHolder: (tokenSha256) => changeShareStore(reads).find(tokenSha256, clock.now()) },
      maxAgeMs: TOKEN_MAX_AGE_MS,
      monotonicMs,
    }),
    feeds: new HolderCache<FeedReader>({
      directory: { findHolder: (tokenSha256) => feedTokenStore(reads).findReader(tokenSha256) },
      maxAgeMs: TOKEN_MAX_AGE_MS,
      monotonicMs,
    }),
    feedLimit: requestLimit(redis, { redisKeyPrefix: config.REDIS_KEY_PREFIX, monotonicMs, onFallback }),
    unsubscribes,
    onMailWritten: () => mails.nudge(),
    onTouchFailed: (error: unknown) => log.warn('feed.touch_failed', { error }),
  };
  let listener: RequestListener;
  const server = await startHttpServer({
    port: config.DASHBOARD_PORT,
    portSetting: 'DASHBOARD_PORT',
    host: config.LISTEN_HOST,
    stopping: signal,
    // If DASHBOARD_URL isn't set, the dashboard's URL contains the port, so `listener` can be created only once the
    // port is open.
    listener: (request, response) => listener(request, response),
    timeouts: {
      headersMs: HEADERS_TIMEOUT_MS,
      requestMs: config.DASHBOARD_REQUEST_TIMEOUT,
      answerMs: ANSWER_TIMEOUT_MS,
      silenceMs: SILENCE_TIMEOUT_MS,
      keepAliveMs: config.HTTP_KEEP_ALIVE,
    },
    onRefusal: (code, reason) => {
      parserRefusals.inc({ code });
      log.info('request.refused_by_parser', { code, reason });
    },
    onSlowReader: () => slowReaders.inc(),
  });
  const answers = new Answers(assets, config.PLATFORM, config.UPGRADE_URL);
  const dashboardUrl = addressOf(config, server.port);
  const { origin, host, protocol } = new URL(dashboardUrl);
  const site: Site = {
    origin,
    host,
    headers: securityHeaders(origin),
    cookies: cookieJar({ secure: protocol === 'https:' }),
    clientAddressOf: clientAddressReader(config.TRUSTED_PROXY_CIDRS, (peer) =>
      log.warn('forwarded_for.untrusted', { peer }),
    ),
    failure: (context, problem) => answers.failure(context, problem),
  };
  const visits = new Visits(sessionStore(reads), (error) => log.warn('session.touch_failed', { error }));
  const admission = new Admission({
    personOf: (token) => visits.personOf(token),
    accountOfFeed: (token) => parts.feeds.lastHolder(token)?.accountId,
  });
  listener = trace.around(
    pageListener({
      site,
      clock,
      monotonicMs,
      assets,
      answers,
      admission,
      visits,
      guestPages: allGuestPages({ ...parts, origin }),
      pages: allPages({ ...parts, origin }),
      onEnd: trace.atEnd<PageContext>(
        requestRecord(log, ({ method, route, status, seconds }) =>
          requestSeconds.observe({ method, route, status }, seconds),
        ),
      ),
    }),
  );
  const mailing = new AbortController();
  const mails = startMailer({
    outbox: mailOutbox(writes),
    transport,
    kinds: {
      ...signInMails(proofs, PLATFORM_NAMES[config.PLATFORM]),
      ...memberMails(unsubscribes, config.WEBHOOK_SWITCH_OFF_AFTER),
    },
    dashboardUrl,
    clock,
    log,
    metrics,
    signal: mailing.signal,
  });
  const making = startMailMaking({
    database: writes,
    groupWaitMs: config.MAIL_GROUP_WAIT,
    log,
    signal: mailing.signal,
    onMade: () => mails.nudge(),
  });
  const operations = await startOperationsServer({
    port: config.OPS_PORT,
    host: config.LISTEN_HOST,
    signal,
    checks: SHARED_STORES,
    metrics: metrics.registry,
  });

  return {
    addresses: { dashboard: server.port, ops: operations.port },
    log,
    shutdownDeadlineMs: config.SHUTDOWN_DEADLINE,
    lingerMs: config.SHUTDOWN_DELAY,
    stop: (forced) =>
      stopInOrder([
        { name: 'dashboard server', stop: () => server.stop(forced) },
        { name: 'tools', stop: async () => tools.close() },
        {
          name: 'mails',
          stop: async () => {
            mailing.abort();
            await Promise.all([mails.done, making.done]);
            transport.close();
          },
        },
        { name: 'redis', stop: async () => redis.disconnect() },
        { name: 'database', stop: () => Promise.all([reads.close(), writes.close()]) },
        { name: 'traces', stop: () => tracing.shutdown() },
        { name: 'operations server', stop: () => operations.stop() },
      ]),
  };
}

function addressOf({ DASHBOARD_URL, LISTEN_HOST = '127.0.0.1' }: DashboardConfig, port: number): string {
  return DASHBOARD_URL ?? `http://${LISTEN_HOST.includes(':') ? `[${LISTEN_HOST}]` : LISTEN_HOST}:${port}`;
}
