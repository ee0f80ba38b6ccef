import { type Host, parseHost } from './host.js';
import { type Cidr, cidrContains, type IpAddress, ipv4FromBytes, parseIpAddress } from './ip-address.js';
import { type ForbiddenReason, IPV6_GLOBAL_UNICAST, SPECIAL_RANGES } from './special-ranges.js';

/**
 * Resolves a name to all its addresses, or to an empty list if the name does not exist. Throws if the name servers
 * fail.
 */
export type Resolver = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface ResolveOptions {
  readonly resolve: Resolver;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  readonly signal?: AbortSignal;
}

export type Resolution =
  /** Connect only to these addresses, because a second lookup may return different ones. */
  | { readonly kind: 'allowed'; readonly addresses: readonly IpAddress[] }
  | { readonly kind: 'forbidden'; readonly reason: ForbiddenReason }
  | { readonly kind: 'invalid_host' }
  | { readonly kind: 'name_not_found' }
  | { readonly kind: 'lookup_failed'; readonly cause: unknown };

/** Rejects a host if any of its addresses is forbidden, because mixed responses suggest DNS rebinding. */
export async function resolveAndCheck(
  host: string | Host,
  { resolve, allowCidrs, signal }: ResolveOptions,
): Promise<Resolution> {
  const parsed = typeof host === 'string' ? parseHost(host) : host;
  if (parsed.kind === 'invalid') return { kind: 'invalid_host' };
  if (parsed.kind === 'zone_id') return { kind: 'forbidden', reason: 'zone_id' };
  let found: readonly (string | IpAddress)[];
  if (parsed.kind === 'address') found = [parsed.address];
  else {
    try {
      found = await resolve(parsed.name, signal);
    } catch (cause) {
      return { kind: 'lookup_failed', cause };
    }
    if (found.length === 0) return { kind: 'name_not_found' };
  }
  const addresses: IpAddress[] = [];
  for (const address of new Set(found)) {
    const verdict = checkAddress(address, allowCidrs);
    if (!verdict.allowed) return { kind: 'forbidden', reason: verdict.reason };
    addresses.push(verdict.address);
  }
  return { kind: 'allowed', addresses };
}

export type AddressVerdict =
  | { readonly allowed: true; readonly address: IpAddress }
  | { readonly allowed: false; readonly reason: ForbiddenReason };

/** EGRESS_ALLOW_CIDRS cannot allow these ranges. */
const NEVER_ALLOWED: ReadonlySet<ForbiddenReason> = new Set([
  'unspecified',
  // Cloud VMs get their credentials from services on link-local addresses.
  'link_local',
  'multicast',
  'broadcast',
  'metadata',
  'zone_id',
]);

/**
 * Checks an IP address by its numeric form (docs/reference/egress.md).
 * @param ip a parsed address, or the text that a name server returned
 * @param allowCidrs `EGRESS_ALLOW_CIDRS`. If `ip` embeds an IPv4 address, the embedded address must be allowed as well.
 */
export function checkAddress(ip: string | IpAddress, allowCidrs: readonly Cidr[]): AddressVerdict {
  const address = typeof ip === 'string' ? parseIpAddress(ip) : ip;
  if (!address) return { allowed: false, reason: String(ip).includes('%') ? 'zone_id' : 'not_an_address' };
  const reason = forbiddenReason(address);
  if (reason === undefined) return { allowed: true, address };
  return isAllowedBySetting(address, reason, allowCidrs) ? { allowed: true, address } : { allowed: false, reason };
}

function forbiddenReason(address: IpAddress): ForbiddenReason | undefined {
  const special = SPECIAL_RANGES.find(([range]) => cidrContains(range, address));
  if (special) return special[1];
  if (embeddedIpv4(address)) return 'ipv4_in_ipv6';
  if (address.family === 6 && !cidrContains(IPV6_GLOBAL_UNICAST, address)) return 'reserved';
  return undefined;
}

function isAllowedBySetting(address: IpAddress, reason: ForbiddenReason, allowCidrs: readonly Cidr[]): boolean {
  if (NEVER_ALLOWED.has(reason) || !allowCidrs.some((range) => cidrContains(range, address))) return false;
  // RFC 4291 defines ::1 as loopback, although it looks like an IPv4-compatible address.
  const inner = reason === 'loopback' ? undefined : embeddedIpv4(address);
  return inner === undefined || checkAddress(inner, allowCidrs).allowed;
}

/** Returns the embedded IPv4 address. Translators and tunnels forward packets to it, so it must be checked too. */
function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  if (address.family !== 6) return undefined;
  const digits = Buffer.from(address.bytes).toString('hex');
  for (const form of EMBEDDING_FORMS) {
    const match = form.exec(digits);
    if (match) return ipv4FromBytes([...Buffer.from(match.slice(1).join(''), 'hex')]);
  }
  const inverted = TEREDO.exec(digits)?.[1];
  return inverted === undefined
    ? undefined
    : ipv4FromBytes([...Buffer.from(inverted, 'hex')].map((byte) => byte ^ 0xff));
}

/** Each pattern matches an IPv6 address written as 32 hex digits and captures the embedded IPv4 address. */
const EMBEDDING_FORMS: readonly RegExp[] = [
  // ::ffff:a.b.c.d, mapped (RFC 4291)
  /^0{20}ffff(.{8})$/,
  // ::ffff:0:a.b.c.d, translated (RFC 2765)
  /^0{16}ffff0000(.{8})$/,
  // ::a.b.c.d, compatible (RFC 4291)
  /^0{24}(.{8})$/,
  // 64:ff9b::a.b.c.d, NAT64 (RFC 6052)
  /^0064ff9b0{16}(.{8})$/,
  // 64:ff9b:1:aabb:cc:ddee::, NAT64 with the local-use /48 prefix (RFC 8215, RFC 6052 section 2.2)
  /^0064ff9b0001(.{4})..(.{4})/,
  // 2002:aabb:ccdd::, 6to4 (RFC 3056)
  /^2002(.{8})/,
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d, ISATAP with any prefix except Teredo's (RFC 5214)
  /^(?!20010000).{16}0[02]005efe(.{8})$/,
];

/** A Teredo address begins with 2001:0: and ends with the client's inverted IPv4 address (RFC 4380). */
const TEREDO = /^20010000.{16}(.{8})$/;
