import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { PooledProxy } from './proxy-pool.js';
import { createProxyProbe } from './proxy-probe.js';
import { TunnelAgent } from './tunnel-agent.js';

/** One proxy and the tunnels through it. */
export interface EgressRoute extends PooledProxy {
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  /** Does the proxy answer? */
  isThere(): Promise<boolean>;
  close(): void;
}

export interface EgressRouteOptions {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxIdle: number;
  readonly ca?: string[] | undefined;
}

export function openEgressRoute(proxyUrl: string, options: EgressRouteOptions): EgressRoute {
  const proxy = new URL(proxyUrl);
  const agents = {
    http: new TunnelAgent({ ...options, proxy, protocol: 'http:' }),
    // Node asks an agent for its protocol, not for its class; the types do.
    https: new TunnelAgent({ ...options, proxy, protocol: 'https:' }) as unknown as HttpsAgent,
  };
  return {
    name: proxy.host,
    agents,
    isThere: createProxyProbe(proxy),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
