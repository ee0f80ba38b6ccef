import {
  type Cidr,
  cidrContains,
  type Host,
  type IpAddress,
  ipv4FromBytes,
  parseCidr,
  parseHost,
  parseIpAddress,
} from './ip-address.js';

export type ForbiddenReason =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link_local'
  | 'site_local'
  | 'metadata'
  | 'carrier_grade_nat'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'benchmarking'
  | 'reserved'
  | 'ipv4_in_ipv6'
  /** An address such as `fe80::1%eth0` refers to an interface on this machine. */
  | 'zone_id'
  | 'not_an_address';

type SpecialRange = readonly [range: Cidr, reason: ForbiddenReason];

function ranges(reason: ForbiddenReason, ...texts: string[]): SpecialRange[] {
  return texts.map((text) => [requireCidr(text), reason] as const);
}

/**
 * IANA special-purpose registries (RFC 6890 and later), and cloud metadata services. The first match determines the
 * reason.
 */
export const SPECIAL_RANGES: readonly SpecialRange[] = [
  ...ranges(
    'metadata',
    '169.254.169.254', // AWS, Azure, Google Cloud, DigitalOcean, Oracle …
    '169.254.169.253', // AWS: resolver
    '169.254.170.2', // AWS: task credentials
    '169.254.170.23', // AWS: pod credentials
    '100.100.100.200', // Alibaba Cloud
    '168.63.129.16', // Azure: served only by the host of a virtual machine
    '192.0.0.192', // Oracle Cloud, classic
    'fd00:ec2::254', // AWS
    'fd00:ec2::253',
    'fd00:ec2::23',
    'fd20:ce::254', // Google Cloud
    'fe80::a9fe:a9fe', // OpenStack
  ),
  ...ranges('broadcast', '255.255.255.255'),
  ...ranges('unspecified', '0.0.0.0/8', '::'),
  ...ranges('loopback', '127.0.0.0/8', '::1'),
  ...ranges('private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'),
  ...ranges('link_local', '169.254.0.0/16', 'fe80::/10'),
  ...ranges('site_local', 'fec0::/10'), // RFC 3879
  ...ranges('carrier_grade_nat', '100.64.0.0/10'), // RFC 6598
  ...ranges('multicast', '224.0.0.0/4', 'ff00::/8'),
  ...ranges('documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'),
  ...ranges('benchmarking', '198.18.0.0/15', '2001:2::/48'),
  ...ranges(
    'ipv4_in_ipv6',
    '::ffff:0:0/96', // mapped, RFC 4291
    '::ffff:0:0:0/96', // translated, RFC 2765
    '::/96', // compatible, RFC 4291
    '64:ff9b::/96', // NAT64, RFC 6052
    '64:ff9b:1::/48', // NAT64 for local use, RFC 8215
    '2002::/16', // 6to4, RFC 3056
    '2001::/32', // Teredo, RFC 4380
  ),
  ...ranges(
    'reserved',
    '192.0.0.0/24', // RFC 6890
    '192.31.196.0/24', // AS112, RFC 7535
    '192.52.193.0/24', // AMT, RFC 7450
    '192.88.99.0/24', // 6to4 relays, RFC 7526
    '192.175.48.0/24', // AS112, RFC 7534
    '240.0.0.0/4', // RFC 1112
    '2001::/23', // protocol assignments, RFC 2928: ORCHID, AMT, AS112, drone ids
    '2620:4f:8000::/48', // AS112, RFC 7534
    '3ffe::/16', // the former 6bone, RFC 3701
  ),
];

/** Only this IPv6 range is public (RFC 4291 section 2.4). */
const IPV6_GLOBAL_UNICAST = requireCidr('2000::/3');

function requireCidr(text: string): Cidr {
  const range = parseCidr(text);
  if (!range) throw new Error(`${text} is not a range`);
  return range;
}

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
