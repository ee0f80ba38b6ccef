import type { SendReport } from '@artist-watch/delivery/deliver';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import { classifyAttempt, type SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import type { Monotonic } from '@artist-watch/runtime/clock';
import type { EgressRoute } from './egress-route.js';
import type { MakeRequest, RequestReport } from './request/make-request.js';

export interface WebhookSenderOptions {
  readonly routes: readonly EgressRoute[];
  readonly makeRequest: MakeRequest;
  readonly monotonic: Monotonic;
  /** True if this process was stalled for so long that it may have missed a response. */
  stalledSince(sinceMs: number): boolean;
  /** Counts a send per proxy tried, by outcome. */
  readonly egressRequests: { inc(labels: { proxy: string; outcome: 'carried' | 'fault'; error: string }): void };
}

/**
 * After this time, no other proxy is tried, because the claim on the delivery leaves no time for another complete
 * attempt.
 */
export const FAIL_OVER_WITHIN_MS = 2_000;

/**
 * Sends webhooks through the proxies in rotation. If a proxy fails before it opens a tunnel, the receiver got nothing,
 * so the next proxy is tried immediately. Later failures are final, because the receiver may have received the request.
 */
export function createWebhookSender(options: WebhookSenderOptions) {
  const { makeRequest, monotonic, stalledSince, egressRequests } = options;
  const pool = new ProxyPool(options.routes);
  return {
    async send(request: WebhookRequest): Promise<SendReport> {
      const startedAtMs = monotonic.nowMs();
      const tried = new Set<PooledRoute>();
      let last: SendReport = NO_PROXY;
      for (let proxy = pool.next(monotonic.nowMs(), tried); proxy; proxy = pool.next(monotonic.nowMs(), tried)) {
        tried.add(proxy);
        const { route } = proxy;
        let [report, result] = await sendOnce(route, request);
        // A receiver can close an idle connection at the moment when we send on it (RFC 9112, section 9.3.1). It has
        // most likely not read the request, so the request is sent again on a new connection.
        const isRace = report.isUnansweredReuse === true && result.kind === 'connection_failed';
        if (isRace && monotonic.nowMs() - startedAtMs <= FAIL_OVER_WITHIN_MS) {
          [report, result] = await sendOnce(route, request, true);
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
        // The request was in flight when the proxy died. Sending it again could deliver the webhook twice.
        if (result.kind === 'proxy_lost') return last;
        if (monotonic.nowMs() - startedAtMs > FAIL_OVER_WITHIN_MS) return last;
      }
      return last;
    },
  };

  /** Sends the request once. Replaces the result if the proxy or this process is to blame for a missing response. */
  async function sendOnce(
    route: EgressRoute,
    request: WebhookRequest,
    isFresh = false,
  ): Promise<readonly [RequestReport, SendResult]> {
    const sentAtMs = monotonic.nowMs();
    const report = await makeRequest(route, request, isFresh);
    const { result, peer } = report;
    const { health } = route;
    if (reportsSilence(result) && health.wasSilentSince(peer, sentAtMs)) return [report, { kind: 'proxy_stalled' }];
    if (!isSilence(result)) return [report, result];
    if (stalledSince(sentAtMs)) return [report, { kind: 'worker_stalled' }];
    // Inside a tunnel, we cannot tell whether the receiver or the proxy is unresponsive, so we check the proxy. It must
    // be the one that carries this tunnel: others behind the same name may be healthy.
    if (!isInTunnel(result) || (await health.answeredSince(peer, sentAtMs))) return [report, result];
    return [report, { kind: 'proxy_lost' }];
  }
}

/** True if the result may be caused by a receiver or proxy that did not respond. */
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

/** A proxy with the number of its faults since its last success. */
interface PooledRoute {
  readonly route: EgressRoute;
  consecutiveFaults: number;
  /** The end of the pause, on the monotonic clock. */
  pausedUntilMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Rotates through several proxies. A proxy is paused after a fault, and the pause doubles with each consecutive fault.
 * If all proxies are paused or unhealthy, the one whose pause ends first is tried, because only a successful request
 * shows that a proxy works again.
 */
class ProxyPool {
  readonly #proxies: readonly PooledRoute[];
  #cursor = 0;

  constructor(routes: readonly EgressRoute[]) {
    this.#proxies = routes.map((route) => ({ route, consecutiveFaults: 0, pausedUntilMs: 0 }));
  }

  /** Returns the next proxy that is not in `tried`, or undefined if all were tried. */
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
    // Requests that were in flight together also fail together, so they count as one fault.
    if (nowMs < proxy.pausedUntilMs) return;
    proxy.consecutiveFaults += 1;
    proxy.pausedUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (proxy.consecutiveFaults - 1), LONGEST_PAUSE_MS);
  }
}
