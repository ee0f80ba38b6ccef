import { type LookupAddress, lookup } from 'node:dns';
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Monotonic } from '@artist-watch/runtime/clock';
import { ProxyHealth } from './proxy-health.js';
import { ProxyLookups } from './proxy-lookups.js';
import { TlsSessions } from './tls-over-tunnel.js';
import { TunnelAgent, type TunnelAgentOptions } from './tunnel-agent.js';

/** One proxy, or several behind one name, and the tunnels through it. */
export interface EgressRoute {
  /** The proxy's address without credentials, for logs and metrics. */
  readonly name: string;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly health: ProxyHealth;
  close(): void;
}

export interface EgressRouteOptions
  extends Pick<TunnelAgentOptions, 'connectTimeoutMs' | 'idleTimeoutMs' | 'maxAgeMs' | 'idleTunnels' | 'tracing'> {
  /** Certificate authorities instead of Node's own, in PEM. */
  readonly ca?: string[] | undefined;
  /** How long the proxy itself has to say that it is there; a second unless given. */
  readonly probeTimeoutMs?: number;
  /** The system's unless given. */
  readonly lookUpAll?: LookUpAll;
}

const PROBE_TIMEOUT_MS = 1_000;

export function openEgressRoute(
  proxyUrl: string,
  monotonic: Monotonic,
  { probeTimeoutMs = PROBE_TIMEOUT_MS, ca, lookUpAll, ...pooling }: EgressRouteOptions,
): EgressRoute {
  const proxy = new URL(proxyUrl);
  const lookup: LookupFunction = createLookupInTurn((address) => health.isUnhealthy(address), lookUpAll);
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
    // Node asks an agent for its protocol, not for its class; the types do.
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

/** All addresses of a name, in the order in which the system would try them. */
export type LookUpAll = (
  name: string,
  onFound: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * A look-up whose answer begins with another address each time, and ends with those that are unhealthy. Of several proxies
 * behind one name the system's would give most tunnels to one: it sorts by how near an address looks (RFC 6724 section
 * 6), and keeps its answer. Whoever connects tries the next address when one fails.
 */
function createLookupInTurn(
  isUnhealthy: (address: string) => boolean,
  lookUpAll: LookUpAll = (name, onFound) => lookup(name, { all: true }, onFound),
): LookupFunction {
  let turn = 0;
  return (name, { all }, onFound) => {
    lookUpAll(name, (error, found) => {
      const ordered = error ? [] : unhealthyLast(beginningWith(turn++, found), isUnhealthy);
      const [first] = ordered;
      if (error || all || !first) onFound(error, ordered);
      else onFound(null, first.address, first.family);
    });
  };
}

/** The family that the system prefers stays in front; the other may lead nowhere. */
function beginningWith(turn: number, addresses: readonly LookupAddress[]): LookupAddress[] {
  const preferred = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  const first = turn % (preferred.length || 1);
  return [...preferred.slice(first), ...preferred.slice(0, first), ...others];
}

function unhealthyLast(
  addresses: readonly LookupAddress[],
  isUnhealthy: (address: string) => boolean,
): LookupAddress[] {
  const unhealthy = new Set(addresses.filter(({ address }) => isUnhealthy(address)));
  return [...addresses.filter((each) => !unhealthy.has(each)), ...unhealthy];
}
