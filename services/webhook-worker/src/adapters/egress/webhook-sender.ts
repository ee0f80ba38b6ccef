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
  /** Did this process stall for so long that a missing answer may be its own fault? */
  stalledSince(sinceMs: number): boolean;
  readonly onEnded: (proxy: string, outcome: 'carried' | 'fault', error: string) => void;
}

/** Another proxy is asked only as long as the claim on the delivery leaves time for a whole attempt. */
export const FAIL_OVER_WITHIN_MS = 2_000;

/**
 * Sends through the proxies in turn. A proxy that failed before it opened a tunnel has sent nothing to the receiver, so
 * the next one is asked at once; whatever happens after that is final, since the receiver may have seen it.
 */
export function createWebhookSender({ pool, makeRequest, monotonic, stalledSince, onEnded }: WebhookSenderOptions) {
  return {
    async send(request: WebhookRequest): Promise<SendReport> {
      const startedAtMs = monotonic.nowMs();
      const tried = new Set<EgressRoute>();
      let last: SendReport = nothingToSendThrough;
      for (let route = pool.next(monotonic.nowMs(), tried); route; route = pool.next(monotonic.nowMs(), tried)) {
        tried.add(route);
        let [report, result] = await sendOnce(route, request);
        // A receiver can close an idle connection while we send on it (RFC 9112, section 9.3.1), which the next round trip shows.
        // It most likely never read the request, so this is our own race, and no attempt.
        const isRace = report.isUnansweredReuse === true && result.kind === 'connection_failed';
        if (isRace && monotonic.nowMs() - startedAtMs <= FAIL_OVER_WITHIN_MS) {
          [report, result] = await sendOnce(route, request, true);
        }
        const verdict = classifyAttempt(result);
        last = { proxy: route.name, result, responseExcerpt: report.responseExcerpt };
        // Our own trouble says nothing of the proxy.
        if (verdict.kind === 'not_an_attempt' && verdict.blame === 'internal') return last;
        if (verdict.kind !== 'not_an_attempt') {
          pool.reportWell(route);
          onEnded(route.name, 'carried', '');
          return last;
        }
        pool.reportFault(route, monotonic.nowMs());
        onEnded(route.name, 'fault', verdict.error);
        // The request was on its way when the proxy died: another one would be a hidden resend.
        if (result.kind === 'proxy_lost') return last;
        if (monotonic.nowMs() - startedAtMs > FAIL_OVER_WITHIN_MS) return last;
      }
      return last;
    },
  };

  async function sendOnce(route: EgressRoute, request: WebhookRequest, isFresh = false) {
    const sentAtMs = monotonic.nowMs();
    const report = await makeRequest(route, request, isFresh);
    return [report, await settled(report, route.health, sentAtMs)] as const;
  }

  /** The result of a request, once it is clear who fell silent where nothing else was heard. */
  async function settled({ result, peer }: RequestReport, health: ProxyHealth, sentAtMs: number): Promise<SendResult> {
    if (reportsSilence(result) && health.wasSilentSince(peer, sentAtMs)) return { kind: 'proxy_stalled' };
    if (!isSilence(result)) return result;
    if (stalledSince(sentAtMs)) return { kind: 'worker_stalled' };
    // Behind a tunnel it looks the same whether the receiver or the proxy fell silent. The one that had the tunnel is
    // asked: another one behind the same name may be well.
    if (!isBehindTunnel(result) || (await health.answeredSince(peer, sentAtMs))) return result;
    return { kind: 'proxy_lost' };
  }
}

/** Did neither the receiver nor the proxy say anything that could be held against it? */
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

/** Does the proxy say that somebody did not answer it in time? */
function reportsSilence(result: SendResult): boolean {
  if (result.kind !== 'proxy_answered_connect') return false;
  const verdict = classifyAttempt(result);
  return verdict.kind === 'failed' && SILENCES.has(verdict.error);
}

function isBehindTunnel({ kind }: SendResult): boolean {
  return kind === 'timed_out' || kind === 'connection_failed';
}

const nothingToSendThrough: SendReport = {
  result: { kind: 'internal_error', message: 'There is no egress proxy.' },
  responseExcerpt: null,
  proxy: null,
};
