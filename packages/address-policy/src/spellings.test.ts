import { describe, expect, test } from '@jest/globals';
import { checkAddress, type ForbiddenReason } from './check-address.js';
import { parseHost } from './ip-address.js';

function verdictOn(host: string): ForbiddenReason | 'allowed' | 'invalid' | 'name' {
  const parsed = parseHost(host);
  switch (parsed.kind) {
    case 'address': {
      const verdict = checkAddress(parsed.address, []);
      return verdict.allowed ? 'allowed' : verdict.reason;
    }
    default:
      return parsed.kind;
  }
}

const FULL_WIDTH = (text: string) => text.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
const CIRCLED = (text: string) =>
  text.replace(/[0-9]/g, (digit) => (digit === '0' ? '⓪' : String.fromCharCode(0x2460 + Number(digit) - 1)));
const PERCENT = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');

/** Returns all spellings of four bytes that inet_aton, a URL parser or IDNA accepts. */
function spellingsOfIpv4(a: number, b: number, c: number, d: number): string[] {
  const [hex, octal] = [(n: number) => `0x${n.toString(16)}`, (n: number) => `0${n.toString(8)}`];
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const dotted = `${a}.${b}.${c}.${d}`;
  return [
    dotted,
    `${dotted}.`,
    `${whole}`,
    `${whole}.`,
    hex(whole),
    hex(whole).toUpperCase(),
    octal(whole),
    `0${octal(whole)}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${a}.${b}.${(c << 8) | d}`,
    `${hex(a)}.${hex(b)}.${hex(c)}.${hex(d)}`,
    `${octal(a)}.${octal(b)}.${octal(c)}.${octal(d)}`,
    `${hex(a)}.${octal(b)}.${c}.${hex(d)}.`,
    `${hex(a)}.${(b << 16) | (c << 8) | d}`,
    `000${octal(a)}.0x00${b.toString(16)}.${c}.${d}`,
    FULL_WIDTH(dotted),
    CIRCLED(dotted),
    dotted.replaceAll('.', '。'),
    dotted.replaceAll('.', '．'),
    dotted.replaceAll('.', '｡'),
    FULL_WIDTH(`${whole}`),
    PERCENT(dotted),
    dotted.replace('.', '%2E'),
    `\u00ad${dotted}`,
  ];
}

const FORBIDDEN_IPV4: readonly (readonly [ForbiddenReason, ...number[]])[] = [
  ['unspecified', 0, 0, 0, 0],
  ['unspecified', 0, 1, 2, 3],
  ['loopback', 127, 0, 0, 1],
  ['loopback', 127, 255, 255, 254],
  ['private', 10, 0, 0, 1],
  ['private', 10, 255, 255, 255],
  ['private', 172, 16, 0, 1],
  ['private', 172, 31, 255, 255],
  ['private', 192, 168, 0, 1],
  ['private', 192, 168, 255, 255],
  ['link_local', 169, 254, 0, 1],
  ['metadata', 169, 254, 169, 254],
  ['metadata', 169, 254, 170, 2],
  ['metadata', 100, 100, 100, 200],
  ['metadata', 168, 63, 129, 16],
  ['carrier_grade_nat', 100, 64, 0, 1],
  ['carrier_grade_nat', 100, 127, 255, 255],
  ['multicast', 224, 0, 0, 1],
  ['multicast', 239, 255, 255, 255],
  ['broadcast', 255, 255, 255, 255],
  ['reserved', 240, 0, 0, 1],
  ['reserved', 192, 0, 0, 1],
  ['reserved', 192, 88, 99, 1],
  ['documentation', 192, 0, 2, 1],
  ['documentation', 198, 51, 100, 1],
  ['documentation', 203, 0, 113, 1],
  ['benchmarking', 198, 18, 0, 1],
  ['benchmarking', 198, 19, 255, 255],
];

describe.each(FORBIDDEN_IPV4)('%s %i.%i.%i.%i', (reason, ...bytes) => {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  test.each(spellingsOfIpv4(a, b, c, d))('is forbidden as %s', (spelling) => expect(verdictOn(spelling)).toBe(reason));
});

describe.each([
  ['8.8.8.8', [8, 8, 8, 8]],
  ['172.32.0.1', [172, 32, 0, 1]],
  ['100.128.0.1', [100, 128, 0, 1]],
])('the public address %s', (_text, [a = 0, b = 0, c = 0, d = 0]) => {
  test.each(spellingsOfIpv4(a, b, c, d))('is allowed as %s', (spelling) => expect(verdictOn(spelling)).toBe('allowed'));
});

describe('the first and last addresses of each IPv4 range, and the addresses just outside it', () => {
  test.each([
    ['0.255.255.255', 'unspecified'],
    ['0x', 'unspecified'],
    ['0', 'unspecified'],
    ['00.0x0.0', 'unspecified'],
    ['1.0.0.0', 'allowed'],
    ['9.255.255.255', 'allowed'],
    ['10.0.0.0', 'private'],
    ['11.0.0.0', 'allowed'],
    ['100.63.255.255', 'allowed'],
    ['126.255.255.255', 'allowed'],
    ['127.0.0.0', 'loopback'],
    ['128.0.0.0', 'allowed'],
    ['169.253.255.255', 'allowed'],
    ['169.254.255.255', 'link_local'],
    ['169.255.0.0', 'allowed'],
    ['172.15.255.255', 'allowed'],
    ['191.255.255.255', 'allowed'],
    ['192.0.0.255', 'reserved'],
    ['192.0.1.0', 'allowed'],
    ['192.0.2.255', 'documentation'],
    ['192.0.3.0', 'allowed'],
    ['192.31.196.1', 'reserved'],
    ['192.52.193.1', 'reserved'],
    ['192.167.255.255', 'allowed'],
    ['192.169.0.0', 'allowed'],
    ['192.175.48.1', 'reserved'],
    ['198.17.255.255', 'allowed'],
    ['198.20.0.0', 'allowed'],
    ['198.51.99.255', 'allowed'],
    ['203.0.114.0', 'allowed'],
    ['223.255.255.255', 'allowed'],
    ['255.255.255.254', 'reserved'],
  ])('%s: %s', (host, verdict) => expect(verdictOn(host)).toBe(verdict));
});

describe('IPv6', () => {
  const table: readonly (readonly [string, ReturnType<typeof verdictOn>])[] = [
    ['::', 'unspecified'],
    ['0:0:0:0:0:0:0:0', 'unspecified'],
    ['::0', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', 'loopback'],
    ['::0001', 'loopback'],
    ['0::1', 'loopback'],
    ['::0.0.0.1', 'loopback'],
    ['::2', 'ipv4_in_ipv6'],
    ['fe80::1', 'link_local'],
    ['FE80::1', 'link_local'],
    ['febf::1', 'link_local'],
    ['fe80::a9fe:a9fe', 'metadata'],
    ['fec0::1', 'site_local'],
    ['feff::1', 'site_local'],
    ['fc00::1', 'private'],
    ['fd12:3456:789a::1', 'private'],
    ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fd00:0ec2:0:0:0:0:0:0254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['ff02::1', 'multicast'],
    ['ff0e::1', 'multicast'],
    ['100::1', 'reserved'],
    ['100:0:0:1::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['1fff::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['fe00::1', 'reserved'],
    ['3ffe::1', 'reserved'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['3fff:fff:ffff::1', 'documentation'],
    ['2001:2::1', 'benchmarking'],
    ['2001:1::1', 'reserved'],
    ['2001:3::1', 'reserved'],
    ['2001:4:112::1', 'reserved'],
    ['2001:10::1', 'reserved'],
    ['2001:20::1', 'reserved'],
    ['2001:30::1', 'reserved'],
    ['2001:1ff::1', 'reserved'],
    ['2620:4f:8000::1', 'reserved'],
    ['::ffff:127.0.0.1', 'ipv4_in_ipv6'],
    ['::ffff:7f00:1', 'ipv4_in_ipv6'],
    ['::FFFF:7F00:0001', 'ipv4_in_ipv6'],
    ['0:0:0:0:0:ffff:7f00:1', 'ipv4_in_ipv6'],
    ['0:0:0:0:0:ffff:127.0.0.1', 'ipv4_in_ipv6'],
    ['::ffff:169.254.169.254', 'ipv4_in_ipv6'],
    ['::ffff:8.8.8.8', 'ipv4_in_ipv6'],
    ['::ffff:0:127.0.0.1', 'ipv4_in_ipv6'],
    ['::ffff:0:7f00:1', 'ipv4_in_ipv6'],
    ['::127.0.0.1', 'ipv4_in_ipv6'],
    ['::7f00:1', 'ipv4_in_ipv6'],
    ['::8.8.8.8', 'ipv4_in_ipv6'],
    ['64:ff9b::127.0.0.1', 'ipv4_in_ipv6'],
    ['64:ff9b::7f00:1', 'ipv4_in_ipv6'],
    ['64:ff9b::8.8.8.8', 'ipv4_in_ipv6'],
    ['0064:ff9b:0000::a9fe:a9fe', 'ipv4_in_ipv6'],
    ['64:ff9b:1::7f00:1', 'ipv4_in_ipv6'],
    ['64:ff9b:1:7f00:0:100::', 'ipv4_in_ipv6'],
    ['64:ff9b:1:ffff::1', 'ipv4_in_ipv6'],
    ['64:ff9b:2::1', 'reserved'],
    ['2002:7f00:1::', 'ipv4_in_ipv6'],
    ['2002:7f00:0001::1', 'ipv4_in_ipv6'],
    ['2002:a9fe:a9fe::', 'ipv4_in_ipv6'],
    ['2002:808:808::1', 'ipv4_in_ipv6'],
    ['2001::1', 'ipv4_in_ipv6'],
    ['2001:0:7f00:1::', 'ipv4_in_ipv6'],
    ['2001:0:5ef5:79fd:0:0:80ff:fffe', 'ipv4_in_ipv6'],
    ['2a00:1450:4001::5efe:127.0.0.1', 'ipv4_in_ipv6'],
    ['2a00:1450:4001:0:0:5efe:7f00:1', 'ipv4_in_ipv6'],
    ['2a00:1450:4001:0:200:5efe:a00:1', 'ipv4_in_ipv6'],
    ['2a00:1450:4001:82a::200e', 'allowed'],
    ['2606:4700:4700::1111', 'allowed'],
    ['2001:4860:4860::8888', 'allowed'],
    ['2001:200::1', 'allowed'],
    ['2003::1', 'allowed'],
    ['2001:db7:ffff::1', 'allowed'],
    ['2001:db9::1', 'allowed'],
    ['2a00:1450:4001::5eff:7f00:1', 'allowed'],
    ['fe80::1%eth0', 'zone_id'],
    ['fe80::1%25eth0', 'zone_id'],
    ['::1%lo', 'zone_id'],
    ['2606:4700:4700::1111%1', 'zone_id'],
    ['2606:4700:4700::1111%', 'zone_id'],
    [':::1', 'invalid'],
    ['1::2::3', 'invalid'],
    ['12345::', 'invalid'],
    ['1:2:3:4:5:6:7:8:9', 'invalid'],
    ['::ffff:127.0.0.256', 'invalid'],
    ['::ffff:0x7f.0.0.1', 'invalid'],
    ['::ffff:127.1', 'invalid'],
    ['127.0.0.1:80', 'invalid'],
    ['host:80', 'invalid'],
    ['v1.fe80::a', 'invalid'],
  ];

  test.each(table)('the verdict on %s is %s', (host, verdict) => expect(verdictOn(host)).toBe(verdict));

  test.each(table)('the verdict on [%s] in brackets is %s', (host, verdict) =>
    expect(verdictOn(`[${host}]`)).toBe(verdict),
  );
});

describe('names and invalid hosts', () => {
  test.each([
    'example.com',
    'EXAMPLE.com.',
    'localhost',
    'a_b.example',
    '_acme.example',
    'xn--mnchen-3ya.example',
    'münchen.example',
    'metadata.google.internal',
    '127.0.0.1.nip.io',
    '1.2.3.example',
    'deadbeef',
    '０x7f.example',
  ])('%s is a name', (host) => expect(verdictOn(host)).toBe('name'));

  test.each([
    '',
    '.',
    '..',
    'a..b',
    '.example.com',
    'example.com..',
    '127.0.0.1..',
    '256.0.0.1',
    '1.2.3.4.5',
    '127.0.0.08',
    '0x100000000',
    '4294967296',
    '127.0.0.0x100',
    'foo.0x7f',
    'foo.1',
    '-a.example',
    'a-.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}aa`,
    'a b',
    'a\tb.example',
    'a\nb.example',
    'a\u0000b.example',
    'a%00b.example',
    '127.0.0.1\n',
    ' 127.0.0.1',
    '127.0.0.1 ',
    'user@127.0.0.1',
    '127.0.0.1/x',
    '127.0.0.1?x',
    '127.0.0.1#x',
    '127.0.0.1\\x',
    'a|b',
    'a"b',
    '[127.0.0.1]',
    '[example.com]',
    '[::1',
    '::1]',
    '[[::1]]',
    '[::1].',
    '[]',
    'a,b.example',
    'a*.example',
    "a'b.example",
    'a%2fb.example',
    'a%40b.example',
    'x'.repeat(2_000),
  ])('%j is invalid', (host) => expect(verdictOn(host)).toBe('invalid'));
});
