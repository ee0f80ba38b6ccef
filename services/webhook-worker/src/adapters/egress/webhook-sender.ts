import type { SendReport } from '@artist-watch/delivery/deliver';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import { classifyAttempt, type SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressError } from '@artist-watch/domain/delivery/attempt-errors';
import { monotonicMs } from '@artist-watch/runtime/clock';
import type { EgressRoute } from './egress-route.js';
import { makeRequest, type RequestReport, type RequestTimeouts } from './node-request.js';

interface WebhookSenderOptions {
  /** At least one. */
  readonly routes: readonly EgressRoute[];
  readonly timeouts: RequestTimeouts;
  /** True if this process has stalled since `sinceMs` and may have missed a response. */
  stalledSince(sinceMs: number): boolean;
  readonly egressRequests: { inc(labels: { proxy: string; outcome: 'carried' | 'fault'; error: string }): void };
}

/** After this time, the rest of the lease is too short for another full attempt. */
export const FAIL_OVER_WITHIN_MS = 2_000;

/**
 * Sends webhooks through the proxies in rotation. Only tries the next proxy if no tunnel was opened, because otherwise
 * the receiver may already have the request.
 */
export function createWebhookSender({ routes, timeouts, stalledSince, egressRequests }: WebhookSenderOptions) {
  const pool = new ProxyPool(routes);

  return async function send(request: WebhookRequest): Promise<SendReport> {
    const startedAtMs = performance.now();
    const tried = new Set<PooledRoute>();
    // True once a reused connection has failed. All further requests then use new connections, so the receiver gets at
    // most one duplicate.
    let isFresh = false;
    let proxy = pool.next(tried) as PooledRoute;
    for (;;) {
      tried.add(proxy);
      const { route } = proxy;
      let sent = await sendOnce(route, request, isFresh);
      // The receiver may have closed the idle connection before reading the request (RFC 9112, section 9.3.1).
      const isRace = sent.isUnansweredReuse === true && sent.result.kind === 'connection_failed';
      if (isRace && performance.now() - startedAtMs <= FAIL_OVER_WITHIN_MS) {
        isFresh = true;
        sent = await sendOnce(route, request, isFresh);
      }
      const report = { proxy: route.name, result: sent.result, responseExcerpt: sent.responseExcerpt };
      const verdict = classifyAttempt(sent.result);
      if (verdict.kind !== 'not_an_attempt') {
        proxy.consecutiveFaults = 0;
        proxy.pausedUntilMs = 0;
        egressRequests.inc({ proxy: route.name, outcome: 'carried', error: '' });
        return report;
      }
      // An internal error says nothing about the proxy.
      if (verdict.blame === 'internal') return report;
      pool.reportFault(proxy);
      egressRequests.inc({ proxy: route.name, outcome: 'fault', error: verdict.error });
      // The proxy died during the request, so sending the request again could deliver the webhook twice.
      if (sent.result.kind === 'proxy_lost' || performance.now() - startedAtMs > FAIL_OVER_WITHIN_MS) return report;
      const next = pool.next(tried);
      if (!next) return report;
      proxy = next;
    }
  };

  /** Sends one request. Replaces the result if the response is missing because of the proxy or this process. */
  async function sendOnce(route: EgressRoute, request: WebhookRequest, isFresh: boolean): Promise<RequestReport> {
    const sentAtMs = performance.now();
    const report = await makeRequest(route, request, timeouts, isFresh);
    const { result, peer } = report;
    const { health } = route;
    if (result.kind === 'proxy_answered_connect') {
      const verdict = classifyAttempt(result);
      const reportsTimeout = verdict.kind === 'failed' && REPORTED_TIMEOUTS.has(verdict.error);
      if (reportsTimeout && health.wasSilentSince(peer, sentAtMs))
        return { ...report, result: { kind: 'proxy_stalled' } };
    }
    if (!SILENT_RESULTS.has(result.kind)) return report;
    if (stalledSince(sentAtMs)) return { ...report, result: { kind: 'worker_stalled' } };
    // An unresponsive receiver looks like an unresponsive proxy, so check the proxy that carried the tunnel.
    const isInTunnel = result.kind === 'timed_out' || result.kind === 'connection_failed';
    if (!isInTunnel || (await health.answeredSince(peer, sentAtMs))) return report;
    return { ...report, result: { kind: 'proxy_lost' } };
  }
}

/** The response may be missing because of the receiver, the proxy or this process. */
const SILENT_RESULTS: ReadonlySet<SendResult['kind']> = new Set([
  'timed_out',
  'connection_failed',
  'proxy_unreachable',
  'proxy_silent',
  'proxy_broke_connect',
  'proxy_tls_failed',
]);

/** The proxy reports that the receiver or a name server did not respond in time. */
const REPORTED_TIMEOUTS: ReadonlySet<string> = new Set<EgressError>(['connection_timed_out', 'name_lookup_failed']);

interface PooledRoute {
  readonly route: EgressRoute;
  consecutiveFaults: number;
  pausedUntilMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Each consecutive fault doubles a proxy's pause. If all proxies are paused, the pool returns the one whose pause ends
 * soonest.
 */
class ProxyPool {
  readonly #proxies: readonly PooledRoute[];
  #cursor = 0;

  constructor(routes: readonly EgressRoute[]) {
    this.#proxies = routes.map((route) => ({ route, consecutiveFaults: 0, pausedUntilMs: 0 }));
  }

  next(tried: ReadonlySet<PooledRoute>): PooledRoute | undefined {
    const nowMs = performance.now();
    let fallback: PooledRoute | undefined;
    for (let step = 0; step < this.#proxies.length; step += 1) {
      const proxy = this.#proxies[(this.#cursor + step) % this.#proxies.length] as PooledRoute;
      if (tried.has(proxy)) continue;
      if (!proxy.route.health.areAllUnhealthy && proxy.pausedUntilMs <= nowMs) {
        this.#cursor = (this.#cursor + step + 1) % this.#proxies.length;
        return proxy;
      }
      if (!fallback || proxy.pausedUntilMs < fallback.pausedUntilMs) fallback = proxy;
    }
    return fallback;
  }

  reportFault(proxy: PooledRoute): void {
    const nowMs = performance.now();
    // Concurrent requests fail together, so their failures count as a single fault.
    if (nowMs < proxy.pausedUntilMs) return;
    proxy.consecutiveFaults += 1;
    proxy.pausedUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (proxy.consecutiveFaults - 1), LONGEST_PAUSE_MS);
  }
}

const CHECK_INTERVAL_MS = 250;
const STALL_MS = 1_000;

export function watchForStalls(nowMs = monotonicMs) {
  let checkedAtMs = nowMs();
  let stalledUntilMs = Number.NEGATIVE_INFINITY;
  const check = () => {
    const atMs = nowMs();
    if (atMs - checkedAtMs >= STALL_MS) stalledUntilMs = atMs;
    checkedAtMs = atMs;
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  return {
    /** True if a stall of at least 1 s ended after `sinceMs` (monotonic clock). */
    stalledSince(sinceMs: number): boolean {
      // After a stall, this function may be called before the timer fires.
      check();
      return stalledUntilMs > sinceMs;
    },
    stop: () => clearInterval(timer),
  };
}
