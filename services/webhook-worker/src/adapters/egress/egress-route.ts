import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { PooledProxy } from './proxy-pool.js';
import { TunnelAgent } from './tunnel-agent.js';

/** One proxy and the tunnels through it. */
export interface EgressRoute extends PooledProxy {
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  /** Is anybody listening at the proxy's address? */
  isThere(): Promise<boolean>;
  close(): void;
}

export interface EgressRouteOptions {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxIdle: number;
  readonly ca?: string[] | undefined;
}

const PROBE_TIMEOUT_MS = 1_000;

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
    isThere: () => probe(proxy),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function probe(proxy: URL): Promise<boolean> {
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const isTls = proxy.protocol === 'https:';
  const port = Number(proxy.port) || (isTls ? 443 : 80);
  return new Promise((resolve) => {
    const socket = isTls ? connectTls({ host, port, servername: host }) : connect({ host, port });
    const finish = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(false));
    socket.once(isTls ? 'secureConnect' : 'connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
