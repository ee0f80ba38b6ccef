import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { checkAddress } from './check-address.js';
import { type Cidr, parseCidr } from './ip-address.js';

const cidrs = (...texts: string[]): Cidr[] => texts.map((text) => parseCidr(text) as Cidr);
const allowed = (ip: string, ...allowCidrs: string[]) => checkAddress(ip, cidrs(...allowCidrs)).allowed;

describe('checkAddress', () => {
  test('every address that ipaddr.js considers special is forbidden', () => {
    const any = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(any, (ip) => {
        if (ipaddr.parse(ip).range() !== 'unicast') expect(allowed(ip)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  test('every IPv6 address that embeds an IPv4 address is forbidden', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const hex = [a, b, c, d].map((part) => part.toString(16).padStart(2, '0'));
        const [high, low] = [`${hex[0]}${hex[1]}`, `${hex[2]}${hex[3]}`];
        for (const form of [
          `::ffff:${high}:${low}`,
          `::ffff:0:${high}:${low}`,
          `::${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b:1::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:808:808::${high}:${low}`,
          `2a00:1450:4001:1:0:5efe:${high}:${low}`,
          `2a00:1450:4001:1:200:5efe:${high}:${low}`,
        ]) {
          expect({ form, allowed: allowed(form) }).toEqual({ form, allowed: false });
        }
      }),
    );
  });

  test('an allowed address is returned in its canonical spelling', () => {
    expect(checkAddress('2606:4700:4700:0:0:0:0:1111', [])).toMatchObject({
      allowed: true,
      address: { family: 6, text: '2606:4700:4700::1111' },
    });
  });

  test.each(['', 'example.com', '0x7f.1', '127.1', '[::1]', '1.2.3.4 ', '١٢٧.0.0.1'])(
    'the invalid resolver result %j is rejected',
    (text) => expect(checkAddress(text, [])).toEqual({ allowed: false, reason: 'not_an_address' }),
  );
});

describe('ranges in EGRESS_ALLOW_CIDRS', () => {
  test('a Teredo address with a forbidden IPv4 address is forbidden, even if it also looks like an ISATAP address', () => {
    expect(allowed('2001:0:5ef5:79fd:0:5efe:5601:5601', '2000::/3')).toBe(false);
  });

  test('EGRESS_ALLOW_CIDRS allows exactly the listed ranges', () => {
    expect(allowed('127.0.0.1', '127.0.0.0/8')).toBe(true);
    expect(allowed('127.255.0.9', '127.0.0.0/8')).toBe(true);
    expect(allowed('10.1.2.3', '127.0.0.0/8')).toBe(false);
    expect(allowed('10.1.2.3', '127.0.0.0/8', '10.1.0.0/16')).toBe(true);
    expect(allowed('10.2.2.3', '10.1.0.0/16')).toBe(false);
    expect(allowed('10.1.3.128', '10.1.3.128/25')).toBe(true);
    expect(allowed('10.1.3.127', '10.1.3.128/25')).toBe(false);
    expect(allowed('::1', '::1')).toBe(true);
    expect(allowed('::1', '127.0.0.0/8')).toBe(false);
    expect(allowed('fd00::1', 'fd00::/8')).toBe(true);
  });

  test('an address with an embedded IPv4 address is allowed only if both addresses are', () => {
    expect(allowed('::ffff:127.0.0.1', '127.0.0.0/8')).toBe(false);
    expect(allowed('::ffff:127.0.0.1', '::ffff:0:0/96')).toBe(false);
    expect(allowed('::ffff:127.0.0.1', '::ffff:0:0/96', '127.0.0.0/8')).toBe(true);
    // Operators allow these ranges if their network reaches IPv4 only through NAT64.
    expect(allowed('64:ff9b::8.8.8.8', '64:ff9b::/96')).toBe(true);
    expect(allowed('64:ff9b::10.0.0.1', '64:ff9b::/96')).toBe(false);
    expect(allowed('64:ff9b:1:a00:0:100::', '64:ff9b:1::/48')).toBe(false);
    expect(allowed('64:ff9b:1:808:8:800::', '64:ff9b:1::/48')).toBe(true);
  });

  test('EGRESS_ALLOW_CIDRS never allows link-local, metadata, multicast, broadcast or unspecified addresses', () => {
    for (const ip of [
      '169.254.0.1',
      '169.254.169.254',
      '169.254.255.254',
      '168.63.129.16',
      '224.0.0.1',
      '255.255.255.255',
      '0.0.0.0',
    ]) {
      expect(allowed(ip, '0.0.0.0/0', ip)).toBe(false);
    }
    for (const ip of ['fe80::1', 'febf::1', 'fd00:ec2::254', 'ff02::1', '::', 'fe80::1%eth0'])
      expect(allowed(ip, '::/0')).toBe(false);
    for (const ip of ['::ffff:169.254.169.254', '::ffff:169.254.0.1', '64:ff9b::169.254.0.1']) {
      expect(allowed(ip, '::/0', '0.0.0.0/0', ip)).toBe(false);
    }
  });
});

describe('parseCidr', () => {
  test.each(['10.0.0.0/8', '10.1.2.3', '::/0', 'fd00::1/128', ' 10.0.0.0/8 '])('accepts %j', (text) =>
    expect(parseCidr(text)).toBeDefined(),
  );

  test.each(['10.0.0.0/33', '::/129', '10.0.0/8', '10/8', 'a/8', '/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', ''])(
    'rejects %j',
    (text) => expect(parseCidr(text)).toBeUndefined(),
  );
});
