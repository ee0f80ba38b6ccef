import { type Cidr, cidrContains, type IpAddress, ipv4Of, parseIpAddress } from './ip-address.js';
import { type ForbiddenReason, IPV6_GLOBAL_UNICAST, SPECIAL_RANGES } from './special-ranges.js';

export type AddressVerdict =
  | { readonly allowed: true; readonly address: IpAddress }
  | { readonly allowed: false; readonly reason: ForbiddenReason };

/** No setting opens these: they are no place that a webhook could be meant for. */
const NEVER_ALLOWED: ReadonlySet<ForbiddenReason> = new Set([
  'unspecified',
  // The neighbours on the wire, and where clouds serve credentials to whoever asks.
  'link_local',
  'multicast',
  'broadcast',
  'metadata',
  'zone_id',
]);

/**
 * May a webhook be sent to this address? Decided on its numeric form alone (docs/reference/egress.md).
 *
 * @param ip an address as a name server spells it, or one that is parsed already.
 * @param allowCidrs `EGRESS_ALLOW_CIDRS`: ranges that are allowed although they are special. An address that carries an
 * IPv4 address is allowed by them only when that one is allowed too.
 */
export function checkAddress(ip: string | IpAddress, allowCidrs: readonly Cidr[]): AddressVerdict {
  const address = typeof ip === 'string' ? parseIpAddress(ip) : ip;
  if (!address) return { allowed: false, reason: String(ip).includes('%') ? 'zone_id' : 'not_an_address' };
  const reason = forbiddenReason(address);
  if (reason === undefined) return { allowed: true, address };
  return isOpened(address, reason, allowCidrs) ? { allowed: true, address } : { allowed: false, reason };
}

function forbiddenReason(address: IpAddress): ForbiddenReason | undefined {
  const special = SPECIAL_RANGES.find(([range]) => cidrContains(range, address));
  if (special) return special[1];
  if (embeddedIpv4(address)) return 'ipv4_in_ipv6';
  if (address.family === 6 && !cidrContains(IPV6_GLOBAL_UNICAST, address)) return 'reserved';
  return undefined;
}

function isOpened(address: IpAddress, reason: ForbiddenReason, allowCidrs: readonly Cidr[]): boolean {
  if (NEVER_ALLOWED.has(reason) || !allowCidrs.some((range) => cidrContains(range, address))) return false;
  // ::1 has the shape of a compatible address, but RFC 4291 gives it a meaning of its own.
  const inner = reason === 'loopback' ? undefined : embeddedIpv4(address);
  return inner === undefined || checkAddress(inner, allowCidrs).allowed;
}

/**
 * The IPv4 address that a translator, a tunnel or the system itself would take out of an IPv6 address: these are ways
 * around a check of IPv4 ranges. Undefined when there is none.
 */
function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  if (address.family !== 6) return undefined;
  const digits = Buffer.from(address.bytes).toString('hex');
  for (const form of FORMS) {
    const found = form.exec(digits);
    if (found) return ipv4Of([...Buffer.from(found.slice(1).join(''), 'hex')]);
  }
  const inverted = TEREDO.exec(digits)?.[1];
  return inverted === undefined ? undefined : ipv4Of([...Buffer.from(inverted, 'hex')].map((byte) => byte ^ 0xff));
}

/** By their 32 hexadecimal digits; the groups together are the IPv4 address. */
const FORMS: readonly RegExp[] = [
  // ::ffff:a.b.c.d, mapped (RFC 4291)
  /^0{20}ffff(.{8})$/,
  // ::ffff:0:a.b.c.d, translated (RFC 2765)
  /^0{16}ffff0000(.{8})$/,
  // ::a.b.c.d, compatible (RFC 4291)
  /^0{24}(.{8})$/,
  // 64:ff9b::a.b.c.d, NAT64 (RFC 6052)
  /^0064ff9b0{16}(.{8})$/,
  // 64:ff9b:1:aabb:cc:ddee::, NAT64 of a local network with its /48 prefix (RFC 8215, RFC 6052 section 2.2)
  /^0064ff9b0001(.{4})..(.{4})/,
  // 2002:aabb:ccdd::, 6to4 (RFC 3056)
  /^2002(.{8})/,
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d, ISATAP under any prefix but Teredo's (RFC 5214)
  /^(?!20010000).{16}0[02]005efe(.{8})$/,
];

/** 2001:0:…: the client's address, inverted (RFC 4380). */
const TEREDO = /^20010000.{16}(.{8})$/;
