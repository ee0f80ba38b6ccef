import type { IncomingMessage } from 'node:http';
import type { SignInStore } from '@artist-watch/persistence/sign-in/requests';
import { describe, expect, test } from '@jest/globals';
import { cookieJar } from '../adapters/http/page-context.js';
import { beginSignIn, clientNetwork, deviceName, parseWaitingCookie, pathWithin } from './sign-in.js';

describe('networks for rate limits', () => {
  test('all addresses of an IPv6 /64 belong to one network, and two /64s are different networks', () => {
    const one = clientNetwork('2001:db8:1:2::1');
    expect(clientNetwork('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(one);
    expect(clientNetwork('2001:db8:1:3::1')).not.toBe(one);
  });

  test('each IPv4 address is its own network, even if it is mapped to IPv6', () => {
    expect(clientNetwork('192.0.2.7')).toBe('192.0.2.7');
    expect(clientNetwork('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(clientNetwork('192.0.2.8')).not.toBe(clientNetwork('192.0.2.7'));
  });

  test('the network does not depend on the IPv6 zone, and all clients without an address share one', () => {
    expect(clientNetwork('fe80::1%eth0')).toBe(clientNetwork('fe80::2%eth1'));
    expect(clientNetwork('')).toBe('unknown');
  });
});

test('only the first 300 characters of a user agent are parsed, so that a client cannot make parsing slow', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  expect(deviceName(firefox)).toBe('Firefox on Linux');
  expect(deviceName(' '.repeat(300) + firefox)).toBe('an unknown browser');
});

describe('paths to open after a sign-in', () => {
  test.each(['/a/acc_01', '/a/acc_01/changes?severity=critical&cursor=a%2Fb', '/a/acc_01/'])(
    'the path %s is kept',
    (to) => {
      expect(pathWithin(to)).toBe(to);
    },
  );

  test.each([
    'https://attacker.example/a/acc_01',
    '//attacker.example/a/acc_01',
    '/\\attacker.example/a/acc_01',
    '/a/..//attacker.example',
    '/a/acc_01/../../..//attacker.example',
    '/a/acc_01/..\\..\\..\\\\attacker.example',
    'javascript:alert(1)//a/acc_01',
    '/sign-out',
    '',
    'http://[',
  ])('the path %s is replaced by the start page', (to) => {
    expect(pathWithin(to)).toBe('/');
  });

  test('the path is kept until the member signs in, unless it is too long for the cookie', async () => {
    const jar = cookieJar({ secure: true });
    const keptOf = async (to: string) => {
      let header = '';
      await beginSignIn(
        { signIns: { begin: async () => true } as unknown as SignInStore, onMailWritten: () => undefined },
        {
          ...{ now: new Date(), clientAddress: '192.0.2.7' },
          setCookie: (name, value) => {
            header = jar.write(name, value, 900);
          },
        },
        { email: 'ann@label.example', to: pathWithin(to) },
      );
      const request = { headers: { cookie: header.split(';', 1)[0] } } as IncomingMessage;
      return parseWaitingCookie(jar.read(request, 'sign-in'))?.to;
    };
    const longest = `/a/acc_01/changes?q=${'x'.repeat(580)}`;
    expect(await keptOf(longest)).toBe(longest);
    expect(await keptOf(`${longest}x`)).toBe('/');
  });
});
