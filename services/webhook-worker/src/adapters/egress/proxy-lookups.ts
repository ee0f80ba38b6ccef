import { isIP } from 'node:net';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import { LookupHealth } from '@artist-watch/domain/delivery/lookup-health';
import { translateProxyReason } from '@artist-watch/domain/delivery/proxy-dialects';
import { TunnelError } from './tunnel-error.js';

/** What says that the proxy had found an address of the host, or knew that it has none. */
const RESOLVED: ReadonlySet<EgressError> = new Set([
  'name_not_found',
  'forbidden_address',
  'connection_refused',
  'connection_timed_out',
  'connection_failed',
]);

/**
 * Distinguishes a name that does not resolve from a proxy that can resolve none. Neither Smokescreen nor Squid says which it is;
 * services/egress-proxy has decided it before it answers.
 */
export class ProxyLookups {
  readonly #health = new LookupHealth();

  /** A new tunnel to the host was opened. */
  opened(host: string): void {
    if (needsNameServer(host)) this.#health.answered();
  }

  /** @returns the error that came instead of a tunnel, or the one that it turns out to be. */
  failed(host: string, error: unknown): unknown {
    if (!(error instanceof TunnelError) || !needsNameServer(host)) return error;
    const reason = reasonOf(error.result);
    if (reason === null) return error;
    if (RESOLVED.has(reason)) this.#health.answered();
    const isProxyToBlame = reason === 'name_lookup_failed' && this.#health.failed(host);
    return isProxyToBlame ? new TunnelError({ kind: 'proxy_cannot_resolve' }) : error;
  }
}

function reasonOf(result: SendResult): EgressError | null {
  if (result.kind !== 'proxy_answered_connect') return null;
  const { reason, reasonSource, status } = result;
  if (reason === undefined || reasonSource === undefined || reasonSource === 'x-egress-error') return null;
  return translateProxyReason(reasonSource, reason, status);
}

/** A name without a dot is known to the proxy's machine or not: that says nothing of the name servers. */
function needsNameServer(host: string): boolean {
  return isIP(host) === 0 && host.includes('.');
}
