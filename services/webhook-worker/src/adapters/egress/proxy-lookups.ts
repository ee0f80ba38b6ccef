import { isIP } from 'node:net';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import { LookupHealth } from '@artist-watch/domain/delivery/lookup-health';
import { translateProxyReason } from '@artist-watch/domain/delivery/proxy-dialects';
import { TunnelError } from './tunnel-error.js';

/** Errors that prove that the proxy could resolve the name, or that the name does not exist. */
const RESOLVED: ReadonlySet<EgressError> = new Set([
  'name_not_found',
  'forbidden_address',
  'connection_refused',
  'connection_timed_out',
  'connection_failed',
]);

/**
 * Finds out whether a single name does not resolve, or whether the proxy cannot resolve any name. Smokescreen and Squid
 * report the same error for both. services/egress-proxy distinguishes them itself.
 */
export class ProxyLookups {
  readonly #health = new LookupHealth();

  /** Records that a new tunnel to the host was opened. */
  reportOpened(host: string): void {
    if (needsNameServer(host)) this.#health.answered();
  }

  /**
   * Records a failed tunnel. Returns the error, or `proxy_cannot_resolve` if the name servers of the proxy are to
   * blame.
   */
  reportFailed(host: string, error: unknown): unknown {
    if (!(error instanceof TunnelError) || !needsNameServer(host)) return error;
    const reason = foreignReason(error.result);
    if (reason === null) return error;
    if (RESOLVED.has(reason)) this.#health.answered();
    const isProxyToBlame = reason === 'name_lookup_failed' && this.#health.failed(host);
    return isProxyToBlame ? new TunnelError({ kind: 'proxy_cannot_resolve' }) : error;
  }
}

/** Returns the reason given by Smokescreen or Squid, or null if there is none. */
function foreignReason(result: SendResult): EgressError | null {
  if (result.kind !== 'proxy_answered_connect') return null;
  const { reason, reasonSource, status } = result;
  if (reason === undefined || reasonSource === undefined || reasonSource === 'x-egress-error') return null;
  return translateProxyReason(reasonSource, reason, status);
}

/** False for names without a dot, because the proxy's machine resolves them without name servers. */
function needsNameServer(host: string): boolean {
  return isIP(host) === 0 && host.includes('.');
}
