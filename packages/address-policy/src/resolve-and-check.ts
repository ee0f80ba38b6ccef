import { checkAddress } from './check-address.js';
import { type Host, parseHost } from './host.js';
import type { Cidr, IpAddress } from './ip-address.js';
import type { ForbiddenReason } from './special-ranges.js';

/**
 * Returns all IPv4 and IPv6 addresses of a name, or an empty list if the name does not exist. Throws if the name
 * servers fail or do not respond in time.
 */
export type Resolver = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface ResolveOptions {
  readonly resolve: Resolver;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  readonly signal?: AbortSignal;
}

export type Resolution =
  /**
   * All addresses are allowed. Connect to one of them, and do not resolve the name again, because the result could
   * differ.
   */
  | { readonly kind: 'allowed'; readonly addresses: readonly IpAddress[] }
  | { readonly kind: 'forbidden'; readonly reason: ForbiddenReason }
  | { readonly kind: 'invalid_host' }
  | { readonly kind: 'name_not_found' }
  | { readonly kind: 'lookup_failed'; readonly cause: unknown };

/**
 * Resolves a host and checks every address. If one address is forbidden, the host is rejected. Such a response is
 * probably an attack (DNS rebinding), and the attacker chooses the order of the addresses.
 */
export async function resolveAndCheck(host: string | Host, options: ResolveOptions): Promise<Resolution> {
  const parsed = typeof host === 'string' ? parseHost(host) : host;
  switch (parsed.kind) {
    case 'invalid':
      return { kind: 'invalid_host' };
    case 'zone_id':
      return { kind: 'forbidden', reason: 'zone_id' };
    case 'address':
      return checkAll([parsed.address], options.allowCidrs);
    case 'name':
      return resolveName(parsed.name, options);
  }
}

async function resolveName(name: string, { resolve, allowCidrs, signal }: ResolveOptions): Promise<Resolution> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(name, signal);
  } catch (cause) {
    return { kind: 'lookup_failed', cause };
  }
  return addresses.length === 0 ? { kind: 'name_not_found' } : checkAll([...new Set(addresses)], allowCidrs);
}

function checkAll(addresses: readonly (string | IpAddress)[], allowCidrs: readonly Cidr[]): Resolution {
  const allowed: IpAddress[] = [];
  for (const address of addresses) {
    const verdict = checkAddress(address, allowCidrs);
    if (!verdict.allowed) return { kind: 'forbidden', reason: verdict.reason };
    allowed.push(verdict.address);
  }
  return { kind: 'allowed', addresses: allowed };
}
