import { type LookupAddress, lookup } from 'node:dns';
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Monotonic } from '@artist-watch/runtime/clock';
import { ProxyHealth } from './proxy-health.js';
import { TlsSessions } from './tls-over-tunnel.js';
import { ProxyLookups, TunnelAgent, type TunnelAgentOptions } from './tunnel-agent.js';

export interface EgressRoute {
  /** Host and port. */
  readonly name: string;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly health: ProxyHealth;
  close(): void;
}

export interface EgressRouteOptions
  extends Pick<TunnelAgentOptions, 'connectTimeoutMs' | 'idleTimeoutMs' | 'maxAgeMs' | 'idleTunnels' | 'tracing'> {
  /** These PEM certificates replace Node's defaults. */
  readonly ca?: string[] | undefined;
  /** Used as both the interval and the timeout of health checks. Default: 1 s. */
  readonly probeTimeoutMs?: number;
  readonly lookUpAll?: LookUpAll;
}

const PROBE_TIMEOUT_MS = 1_000;

export function openEgressRoute(
  proxyUrl: string,
  monotonic: Monotonic,
  { probeTimeoutMs = PROBE_TIMEOUT_MS, ca, lookUpAll, ...pooling }: EgressRouteOptions,
): EgressRoute {
  const proxy = new URL(proxyUrl);
  const lookup: LookupFunction = createRotatingLookup((address) => health.isUnhealthy(address), lookUpAll);
  const health = new ProxyHealth({ proxy, lookup, monotonic, checkMs: probeTimeoutMs });
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
    // Despite the type, Node only checks the agent's protocol, not its class.
    https: new TunnelAgent({ ...options, protocol: 'https:' }) as unknown as HttpsAgent,
  };
  return {
    name: proxy.host,
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
      const ordered = error ? [] : unhealthyLast(rotate(found, cursor++), isUnhealthy);
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

function unhealthyLast(
  addresses: readonly LookupAddress[],
  isUnhealthy: (address: string) => boolean,
): LookupAddress[] {
  const unhealthy = new Set(addresses.filter(({ address }) => isUnhealthy(address)));
  return [...addresses.filter((each) => !unhealthy.has(each)), ...unhealthy];
}
