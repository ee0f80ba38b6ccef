import { embeddedIpv4 } from './embedded-ipv4.js';
import { type Cidr, cidrContains, type IpAddress, parseIpAddress } from './ip-address.js';
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
