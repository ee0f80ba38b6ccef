import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Monotonic } from '@artist-watch/delivery/decide/ports';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import { checkProxy } from './check-proxy.js';
import type { IdleTunnels } from './idle-tunnels.js';
import { createLookupInTurn, type LookUpAll } from './lookup-in-turn.js';
import { ProxyHealth } from './proxy-health.js';
import { ProxyLookups } from './proxy-lookups.js';
import type { PooledProxy } from './proxy-pool.js';
import { TlsSessions } from './tls-sessions.js';
import { TunnelAgent } from './tunnel-agent.js';

/** One proxy, or several behind one name, and the tunnels through it. */
export interface EgressRoute extends PooledProxy {
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly health: ProxyHealth;
  close(): void;
}

export interface EgressRouteOptions {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxAgeMs: number;
  readonly idleTunnels: IdleTunnels;
  /** Certificate authorities instead of Node's own, in PEM. */
  readonly ca?: string[] | undefined;
  /** How long the proxy itself has to say that it is there; a second unless given. */
  readonly probeTimeoutMs?: number;
  /** The system's unless given. */
  readonly lookUpAll?: LookUpAll;
  readonly tracing?: Tracing;
}

const PROBE_TIMEOUT_MS = 1_000;

export function openEgressRoute(
  proxyUrl: string,
  monotonic: Monotonic,
  { probeTimeoutMs = PROBE_TIMEOUT_MS, ca, lookUpAll, ...pooling }: EgressRouteOptions,
): EgressRoute {
  const proxy = new URL(proxyUrl);
  const lookup = createLookupInTurn((address) => health.isUnhealthy(address), lookUpAll);
  const health = new ProxyHealth({
    check: (address) => checkProxy(proxy, address, { lookup, timeoutMs: probeTimeoutMs }),
    monotonic,
    everyMs: probeTimeoutMs,
  });
  const options = {
    ...pooling,
    proxy,
    lookup,
    health,
    lookups: new ProxyLookups(),
    tls: { secureContext: createSecureContext(ca ? { ca } : {}), sessions: new TlsSessions(monotonic) },
  };
  const agents = {
    http: new TunnelAgent({ ...options, protocol: 'http:' }),
    // Node asks an agent for its protocol, not for its class; the types do.
    https: new TunnelAgent({ ...options, protocol: 'https:' }) as unknown as HttpsAgent,
  };
  return {
    name: proxy.host,
    agents,
    health,
    get isUnhealthy() {
      return health.areAllUnhealthy;
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
      health.stop();
    },
  };
}
