import type { IncomingMessage } from 'node:http';
import { type Cidr, parseCidr } from '@artist-watch/address-policy/ip-address';
import { describe, expect, test } from '@jest/globals';
import { bearerToken, clientAddressReader } from './request-head.js';

describe('the Authorization header', () => {
  test.each(['Bearer aw_live_x', 'bearer aw_live_x', 'BEARER   aw_live_x'])('%j contains a token', (header) => {
    expect(bearerToken(header)).toBe('aw_live_x');
  });

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'aw_live_x',
    'Basic aw_live_x',
    'Beareraw_live_x',
    'Bearer aw live',
    'Bearer "x"',
    'Bearer\taw_live_x',
    'Bearer x, Bearer y',
  ])('%j contains no token', (header) => {
    expect(bearerToken(header)).toBeUndefined();
  });
});

const trusting = (...ranges: string[]) => clientAddressReader(ranges.map((range) => parseCidr(range) as Cidr));
const request = (remoteAddress: string, forwardedFor?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } }) as unknown as IncomingMessage;

describe('the IP address of the client', () => {
  test.each<[string, string, string | undefined, string]>([
    ["the client's address is the peer's address if there is no header", '198.51.100.7', undefined, '198.51.100.7'],
    [
      "the client's address is the peer's address if the peer is not trusted, even if there is a header",
      '198.51.100.7',
      '203.0.113.9',
      '198.51.100.7',
    ],
    [
      "the client's address is the address that our proxy appended to the header",
      '10.0.0.1',
      '203.0.113.9',
      '203.0.113.9',
    ],
    [
      "the client's address is the address that the outermost of our proxies appended",
      '10.0.0.1',
      '203.0.113.9, 10.0.0.2',
      '203.0.113.9',
    ],
    [
      "the client's address is never to the left of the one that our proxy appended",
      '10.0.0.1',
      '192.0.2.1, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      "the client's address is the rightmost untrusted address, even if there is a trusted address to its left",
      '10.0.0.1',
      '10.0.0.9, 203.0.113.9',
      '203.0.113.9',
    ],
    ["the client's address is our proxy's address if the header is missing", '10.0.0.1', undefined, '10.0.0.1'],
    [
      "the client's address is our proxy's address if the header is invalid",
      '10.0.0.1',
      '203.0.113.9, unknown',
      '10.0.0.1',
    ],
    ["the client's address is our proxy's address if the header is empty", '10.0.0.1', ' , ', '10.0.0.1'],
    [
      "the client's address is the first address in the header if all addresses are trusted",
      '10.0.0.1',
      '10.0.0.3,10.0.0.2',
      '10.0.0.3',
    ],
    [
      "the client's address is an IPv4 address even on a dual-stack socket",
      '::ffff:10.0.0.1',
      '::ffff:203.0.113.9',
      '203.0.113.9',
    ],
    ["the client's address may be an IPv6 address", 'fd00::1', '2001:db8::9', '2001:db8::9'],
  ])('%s', (_, peer, forwardedFor, client) => {
    expect(trusting('10.0.0.0/8', 'fd00::/8')(request(peer, forwardedFor))).toBe(client);
  });

  test('the header of an untrusted peer is ignored, and the first such peer is reported', () => {
    for (const trusted of [[], [parseCidr('10.0.0.0/8') as Cidr]]) {
      const peers: string[] = [];
      const addressOf = clientAddressReader(trusted, (peer) => peers.push(peer));
      addressOf(request('198.51.100.1'));
      for (const peer of ['198.51.100.2', '198.51.100.3']) addressOf(request(peer, '203.0.113.9'));
      expect(peers).toEqual(['198.51.100.2']);
    }
    const addressOf = clientAddressReader([parseCidr('10.0.0.0/8') as Cidr], () => {
      throw new Error('a trusted proxy was reported');
    });
    expect(addressOf(request('10.0.0.1', '203.0.113.9'))).toBe('203.0.113.9');
  });

  test("the client's address is always the peer's address if no proxies are trusted", () => {
    expect(trusting()(request('10.0.0.1', '203.0.113.9'))).toBe('10.0.0.1');
  });
});
