import { type Cidr, parseCidr } from './ip-address.js';

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
export const IPV6_GLOBAL_UNICAST = requireCidr('2000::/3');

function requireCidr(text: string): Cidr {
  const range = parseCidr(text);
  if (!range) throw new Error(`${text} is not a range`);
  return range;
}
