import { classifyAttempt } from '@artist-watch/domain/attempt-classification';
import type { Monotonic, SendReport, WebhookRequest, WebhookSender } from '../../application/ports.js';
import type { EgressRoute } from './egress-route.js';
import type { MakeRequest, RequestReport } from './got-request.js';
import type { ProxyPool } from './proxy-pool.js';

export interface EgressObserver {
  requestEnded(proxy: string, outcome: 'carried' | 'fault', error: string): void;
}

/** Another proxy is asked only as long as the claim on the delivery leaves time for a whole attempt. */
export const FAIL_OVER_WITHIN_MS = 2_000;

/**
 * Sends through the proxies in turn. A proxy that failed before it opened a tunnel has sent nothing to the receiver, so
 * the next one is asked at once; whatever happens after that is final, since the receiver may have seen it.
 */
export function createWebhookSender(
  pool: ProxyPool<EgressRoute>,
  makeRequest: MakeRequest,
  monotonic: Monotonic,
  observer: EgressObserver,
): WebhookSender {
  return {
    async send(request) {
      const startedAtMs = monotonic.nowMs();
      const tried = new Set<EgressRoute>();
      let last: SendReport = nothingToSendThrough;
      for (let route = pool.next(monotonic.nowMs(), tried); route; route = pool.next(monotonic.nowMs(), tried)) {
        tried.add(route);
        const report = await sendThrough(route, request);
        const verdict = classifyAttempt(report.result);
        last = { ...report, proxy: route.name };
        if (verdict.kind !== 'not_an_attempt' || verdict.blame !== 'egress') {
          pool.reportWell(route);
          observer.requestEnded(route.name, 'carried', '');
          return last;
        }
        pool.reportFault(route, monotonic.nowMs());
        observer.requestEnded(route.name, 'fault', verdict.error);
        // The request was on its way when the proxy died: another one would be a hidden resend.
        if (report.result.kind === 'proxy_lost') return last;
        if (monotonic.nowMs() - startedAtMs > FAIL_OVER_WITHIN_MS) return last;
      }
      return last;
    },
  };

  async function sendThrough(route: EgressRoute, request: WebhookRequest): Promise<RequestReport> {
    const report = await makeRequest(route, request);
    const broke =
      report.result.kind === 'connection_failed' &&
      (report.result.failure === 'reset' || report.result.failure === 'closed');
    // A tunnel that breaks looks the same whether the receiver or the proxy let go; a proxy that is gone did.
    if (broke && !(await route.isThere())) return { ...report, result: { kind: 'proxy_lost' } };
    return report;
  }
}

const nothingToSendThrough: SendReport = {
  result: { kind: 'internal_error', message: 'There is no egress proxy.' },
  responseExcerpt: null,
  proxy: null,
};
