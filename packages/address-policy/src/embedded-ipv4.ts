import { type IpAddress, ipv4Of } from './ip-address.js';

/**
 * The IPv4 address that a translator, a tunnel or the system itself would take out of an IPv6 address: these are ways
 * around a check of IPv4 ranges. Undefined when there is none.
 */
export function embeddedIpv4(address: IpAddress): IpAddress | undefined {
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
