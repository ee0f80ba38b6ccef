import { type LookupAddress, lookup } from 'node:dns';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { proxyEndpoint } from './open-tunnel.js';
import { ProxyHealth } from './proxy-health.js';
import { ReceiverTls } from './tls-over-tunnel.js';
import { ProxyLookups, TunnelAgent, type TunnelAgentOptions } from './tunnel-agent.js';

export type EgressRoute = ReturnType<typeof openEgressRoute>;

interface EgressRouteOptions
  extends Pick<TunnelAgentOptions, 'connectTimeoutMs' | 'idleTimeoutMs' | 'maxAgeMs' | 'idleTunnels' | 'tracing'> {
  /** These PEM certificates replace Node's defaults. */
  readonly ca?: string[] | undefined;
  /** Used as both the interval and the timeout of health checks. Default: 1 s. */
  readonly probeTimeoutMs?: number;
  readonly lookUpAll?: LookUpAll;
  /** Decides when a receiver's certificate is verified again. */
  readonly monotonicMs?: () => number;
}

export function openEgressRoute(
  proxyUrl: string,
  { probeTimeoutMs = 1_000, ca, lookUpAll, monotonicMs, ...pooling }: EgressRouteOptions,
) {
  const lookup: LookupFunction = createRotatingLookup((address) => health.isUnhealthy(address), lookUpAll);
  const proxy = proxyEndpoint(new URL(proxyUrl), lookup);
  const health = new ProxyHealth({ proxy, checkMs: probeTimeoutMs });
  const tls = new ReceiverTls(ca, monotonicMs);
  const options = { ...pooling, proxy, health, tls, lookups: new ProxyLookups() };
  const agents = {
    http: new TunnelAgent({ ...options, protocol: 'http:' }),
    // Despite the type, Node only checks the agent's protocol, not its class.
    https: new TunnelAgent({ ...options, protocol: 'https:' }) as unknown as HttpsAgent,
  };
  return {
    name: proxy.name,
    agents,
    health,
    close() {
      agents.http.destroy();
      agents.https.destroy();
      health.stop();
    },
  };
}

/** Finds all addresses for a name, in the system's order of preference. */
export type LookUpAll = (
  name: string,
  onFound: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * Rotates the proxy's addresses and moves unhealthy ones to the end. With the system's order (RFC 6724, section 6),
 * most tunnels would go to the same proxy.
 */
function createRotatingLookup(
  isUnhealthy: (address: string) => boolean,
  lookUpAll: LookUpAll = (name, onFound) => lookup(name, { all: true }, onFound),
): LookupFunction {
  let cursor = 0;
  return (name, { all }, onFound) => {
    lookUpAll(name, (error, found) => {
      const ordered = rotate(error ? [] : found, cursor++).sort(
        (a, b) => Number(isUnhealthy(a.address)) - Number(isUnhealthy(b.address)),
      );
      const [first] = ordered;
      if (error || all || !first) onFound(error, ordered);
      else onFound(null, first.address, first.family);
    });
  };
}

/** Only rotates the address family that the system prefers, because the other one may be unreachable. */
function rotate(addresses: readonly LookupAddress[], cursor: number): LookupAddress[] {
  const preferred = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  const first = cursor % (preferred.length || 1);
  return [...preferred.slice(first), ...preferred.slice(0, first), ...others];
}
