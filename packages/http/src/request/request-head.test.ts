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
  ])('%j contains none', (header) => {
    expect(bearerToken(header)).toBeUndefined();
  });
});

const trusting = (...ranges: string[]) => clientAddressReader(ranges.map((range) => parseCidr(range) as Cidr));
const request = (remoteAddress: string, forwardedFor?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } }) as unknown as IncomingMessage;

describe('the IP address of a client', () => {
  test.each<[string, string, string | undefined, string]>([
    ['is the peer', '198.51.100.7', undefined, '198.51.100.7'],
    ['ignores the header of an untrusted peer', '198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['is the one that our proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['is the one that the first of our proxies saw', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['ignores addresses before the one that our proxy saw', '10.0.0.1', '192.0.2.1, 203.0.113.9', '203.0.113.9'],
    ['ignores one of ours before an untrusted one', '10.0.0.1', '10.0.0.9, 203.0.113.9', '203.0.113.9'],
    ['is that of our proxy without a header', '10.0.0.1', undefined, '10.0.0.1'],
    ['is that of our proxy if the header is invalid', '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['is that of our proxy if the header is empty', '10.0.0.1', ' , ', '10.0.0.1'],
    ['is the first one if all are ours', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['is the same on a dual-stack socket', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['may be IPv6', 'fd00::1', '2001:db8::9', '2001:db8::9'],
  ])('%s', (_, peer, forwardedFor, client) => {
    expect(trusting('10.0.0.0/8', 'fd00::/8')(request(peer, forwardedFor))).toBe(client);
  });

  test('is reported once when an untrusted peer forwards one, because a load balancer may be missing in the setting', () => {
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

  test('is the peer, whatever the header says, without trusted proxies', () => {
    expect(trusting()(request('10.0.0.1', '203.0.113.9'))).toBe('10.0.0.1');
  });
});
