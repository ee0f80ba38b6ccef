import type { SendReport } from '@artist-watch/delivery/deliver';
import type { WebhookRequest } from '@artist-watch/delivery/delivery-request';
import { classifyAttempt, type SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import type { Monotonic } from '@artist-watch/runtime/clock';
import type { EgressRoute } from './egress-route.js';
import type { ProxyHealth } from './proxy-health.js';
import type { ProxyPool } from './proxy-pool.js';
import type { MakeRequest, RequestReport } from './request/make-request.js';

export interface WebhookSenderOptions {
  readonly pool: ProxyPool;
  readonly makeRequest: MakeRequest;
  readonly monotonic: Monotonic;
  /** True if this process was stalled for so long that it may have missed a response. */
  stalledSince(sinceMs: number): boolean;
  readonly onEnded: (proxy: string, outcome: 'carried' | 'fault', error: string) => void;
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
export function createWebhookSender({ pool, makeRequest, monotonic, stalledSince, onEnded }: WebhookSenderOptions) {
  return {
    async send(request: WebhookRequest): Promise<SendReport> {
      const startedAtMs = monotonic.nowMs();
      const tried = new Set<EgressRoute>();
      let last: SendReport = NO_PROXY;
      for (let route = pool.next(monotonic.nowMs(), tried); route; route = pool.next(monotonic.nowMs(), tried)) {
        tried.add(route);
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
          pool.reportSuccess(route);
          onEnded(route.name, 'carried', '');
          return last;
        }
        pool.reportFault(route, monotonic.nowMs());
        onEnded(route.name, 'fault', verdict.error);
        // The request was in flight when the proxy died. Sending it again could deliver the webhook twice.
        if (result.kind === 'proxy_lost') return last;
        if (monotonic.nowMs() - startedAtMs > FAIL_OVER_WITHIN_MS) return last;
      }
      return last;
    },
  };

  async function sendOnce(route: EgressRoute, request: WebhookRequest, isFresh = false) {
    const sentAtMs = monotonic.nowMs();
    const report = await makeRequest(route, request, isFresh);
    return [report, await checkSilence(report, route.health, sentAtMs)] as const;
  }

  /** Replaces the result if the proxy or this process is to blame for a missing response. */
  async function checkSilence(
    { result, peer }: RequestReport,
    health: ProxyHealth,
    sentAtMs: number,
  ): Promise<SendResult> {
    if (reportsSilence(result) && health.wasSilentSince(peer, sentAtMs)) return { kind: 'proxy_stalled' };
    if (!isSilence(result)) return result;
    if (stalledSince(sentAtMs)) return { kind: 'worker_stalled' };
    // In a tunnel, it makes no difference to us whether the receiver or the proxy does not respond. So the proxy of
    // this tunnel is checked. Others behind the same name may be healthy.
    if (!isInTunnel(result) || (await health.answeredSince(peer, sentAtMs))) return result;
    return { kind: 'proxy_lost' };
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
