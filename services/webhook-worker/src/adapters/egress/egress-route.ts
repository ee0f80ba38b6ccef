import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Monotonic } from '../../application/ports.js';
import { ProxyLookups } from './proxy-lookups.js';
import type { PooledProxy } from './proxy-pool.js';
import { createProxyProbe } from './proxy-probe.js';
import { createProxyPulse, type ProxyPulse } from './proxy-pulse.js';
import { TunnelAgent } from './tunnel-agent.js';

/** One proxy and the tunnels through it. */
export interface EgressRoute extends PooledProxy {
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly pulse: ProxyPulse;
  close(): void;
}

export interface EgressRouteOptions {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxAgeMs: number;
  readonly maxIdle: number;
  /** Certificate authorities instead of Node's own, in PEM. */
  readonly ca?: string[] | undefined;
  /** How long the proxy itself has to say that it is there; a second unless given. */
  readonly probeTimeoutMs?: number;
  readonly tracing?: Tracing;
}

const PROBE_TIMEOUT_MS = 1_000;

export function openEgressRoute(
  proxyUrl: string,
  monotonic: Monotonic,
  { probeTimeoutMs = PROBE_TIMEOUT_MS, ca, ...pooling }: EgressRouteOptions,
): EgressRoute {
  const proxy = new URL(proxyUrl);
  const options = {
    ...pooling,
    proxy,
    lookups: new ProxyLookups(),
    secureContext: createSecureContext(ca ? { ca } : {}),
  };
  const agents = {
    http: new TunnelAgent({ ...options, protocol: 'http:' }),
    // Node asks an agent for its protocol, not for its class; the types do.
    https: new TunnelAgent({ ...options, protocol: 'https:' }) as unknown as HttpsAgent,
  };
  const pulse = createProxyPulse({
    probe: createProxyProbe(proxy, probeTimeoutMs),
    monotonic,
    everyMs: probeTimeoutMs,
  });
  return {
    name: proxy.host,
    agents,
    pulse,
    get isUnwell() {
      return pulse.isUnwell;
    },
    close() {
      pulse.stop();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
