import type { SendReport } from '@artist-watch/delivery/deliver';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import { classifyAttempt, type SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import type { Monotonic } from '@artist-watch/runtime/clock';
import type { EgressRoute } from './egress-route.js';
import type { MakeRequest, RequestReport } from './node-request.js';

export interface WebhookSenderOptions {
  readonly routes: readonly EgressRoute[];
  readonly makeRequest: MakeRequest;
  readonly monotonic: Monotonic;
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
export function createWebhookSender(options: WebhookSenderOptions) {
  const { makeRequest, monotonic, stalledSince, egressRequests } = options;
  const pool = new ProxyPool(options.routes);
  return {
    async send(request: WebhookRequest): Promise<SendReport> {
      const startedAtMs = monotonic.nowMs();
      const tried = new Set<PooledRoute>();
      let last: SendReport = NO_PROXY;
      // True once a reused connection has failed. All further requests then use new connections, so the receiver gets at
      // most one duplicate.
      let isFresh = false;
      for (let proxy = pool.next(monotonic.nowMs(), tried); proxy; proxy = pool.next(monotonic.nowMs(), tried)) {
        tried.add(proxy);
        const { route } = proxy;
        let [report, result] = await sendOnce(route, request, isFresh);
        // The receiver may have closed the idle connection before reading the request (RFC 9112, section 9.3.1).
        const isRace = report.isUnansweredReuse === true && result.kind === 'connection_failed';
        if (isRace && monotonic.nowMs() - startedAtMs <= FAIL_OVER_WITHIN_MS) {
          isFresh = true;
          [report, result] = await sendOnce(route, request, isFresh);
        }
        const verdict = classifyAttempt(result);
        last = { proxy: route.name, result, responseExcerpt: report.responseExcerpt };
        // An internal error says nothing about the proxy.
        if (verdict.kind === 'not_an_attempt' && verdict.blame === 'internal') return last;
        if (verdict.kind !== 'not_an_attempt') {
          proxy.consecutiveFaults = 0;
          proxy.pausedUntilMs = 0;
          egressRequests.inc({ proxy: route.name, outcome: 'carried', error: '' });
          return last;
        }
        pool.reportFault(proxy, monotonic.nowMs());
        egressRequests.inc({ proxy: route.name, outcome: 'fault', error: verdict.error });
        // The proxy died during the request, so sending the request again could deliver the webhook twice.
        if (result.kind === 'proxy_lost') return last;
        if (monotonic.nowMs() - startedAtMs > FAIL_OVER_WITHIN_MS) return last;
      }
      return last;
    },
  };

  /** Sends one request. Replaces the result if the response is missing because of the proxy or this process. */
  async function sendOnce(
    route: EgressRoute,
    request: WebhookRequest,
    isFresh: boolean,
  ): Promise<readonly [RequestReport, SendResult]> {
    const sentAtMs = monotonic.nowMs();
    const report = await makeRequest(route, request, isFresh);
    const { result, peer } = report;
    const { health } = route;
    if (reportsSilence(result) && health.wasSilentSince(peer, sentAtMs)) return [report, { kind: 'proxy_stalled' }];
    if (!isSilence(result)) return [report, result];
    if (stalledSince(sentAtMs)) return [report, { kind: 'worker_stalled' }];
    // An unresponsive receiver looks like an unresponsive proxy, so check the proxy that carried the tunnel.
    if (!isInTunnel(result) || (await health.answeredSince(peer, sentAtMs))) return [report, result];
    return [report, { kind: 'proxy_lost' }];
  }
}

/** True if the response may be missing because of either the receiver or the proxy. */
function isSilence({ kind }: SendResult): boolean {
  switch (kind) {
    case 'answered':
    case 'tls_failed':
    case 'proxy_answered_connect':
    case 'proxy_cannot_resolve':
    case 'proxy_stalled':
    case 'worker_stalled':
    case 'internal_error':
      return false;
    case 'timed_out':
    case 'connection_failed':
    case 'proxy_unreachable':
    case 'proxy_silent':
    case 'proxy_broke_connect':
    case 'proxy_lost':
    case 'proxy_tls_failed':
      return true;
  }
}

const SILENCES: ReadonlySet<string> = new Set<EgressError>(['connection_timed_out', 'name_lookup_failed']);

/** True if the proxy reports that the receiver or a name server did not respond in time. */
function reportsSilence(result: SendResult): boolean {
  if (result.kind !== 'proxy_answered_connect') return false;
  const verdict = classifyAttempt(result);
  return verdict.kind === 'failed' && SILENCES.has(verdict.error);
}

function isInTunnel({ kind }: SendResult): boolean {
  return kind === 'timed_out' || kind === 'connection_failed';
}

const NO_PROXY: SendReport = {
  result: { kind: 'internal_error', message: 'No egress proxy is configured.' },
  responseExcerpt: null,
  proxy: null,
};

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

  next(nowMs: number, tried: ReadonlySet<PooledRoute>): PooledRoute | undefined {
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

  reportFault(proxy: PooledRoute, nowMs: number): void {
    // Concurrent requests fail together, so their failures count as a single fault.
    if (nowMs < proxy.pausedUntilMs) return;
    proxy.consecutiveFaults += 1;
    proxy.pausedUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (proxy.consecutiveFaults - 1), LONGEST_PAUSE_MS);
  }
}
