import { describe, expect, test } from '@jest/globals';
import { parseCidr } from './ip-address.js';
import { checkDestinationUrl } from './judge-destination.js';

function reasonFor(url: string): string {
  const verdict = checkDestinationUrl(url, []);
  return verdict.ok ? 'ok' : verdict.reason;
}

describe('checkDestinationUrl', () => {
  test.each([
    ['https://hooks.example.com/artist-watch?x=1', 443],
    ['http://hooks.example.com', 80],
    ['HTTPS://Hooks.Example.COM:443/', 443],
    ['https://hooks.example.com:8443/', 8443],
    ['http://hooks.example.com:1024/', 1024],
    ['http://hooks.example.com:65535/', 65535],
    ['http://hooks.example.com:443/', 443],
    ['https://münchen.example/ä', 443],
    ['https://8.8.8.8/', 443],
    ['https://[2606:4700:4700::1111]:8443/', 8443],
    ['https://hooks.example.com/a@b', 443],
  ])('allows %s', (url, port) => expect(checkDestinationUrl(url, [])).toMatchObject({ ok: true, port }));

  test.each([
    ['', 'unreadable'],
    ['hooks.example.com', 'unreadable'],
    ['//hooks.example.com/', 'unreadable'],
    ['https:hooks.example.com', 'unreadable'],
    ['https:/hooks.example.com', 'unreadable'],
    ['https:\\\\hooks.example.com', 'unreadable'],
    ['https://hooks.example.com\\@127.0.0.1/', 'unreadable'],
    [' https://hooks.example.com/', 'unreadable'],
    ['https://hooks.example.com/ x', 'unreadable'],
    ['https://hooks.\texample.com/', 'unreadable'],
    ['https://hooks.example.com/\n', 'unreadable'],
    ['https://', 'host'],
    ['https://?x', 'host'],
    ['https:///path', 'host'],
    ['https://a b/', 'unreadable'],
    ['https://256.1.1.1/', 'unreadable'],
    ['https://hooks.example.com:99999/', 'unreadable'],
    [`https://hooks.example.com/${'x'.repeat(2_048)}`, 'unreadable'],
    ['ftp://hooks.example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://127.0.0.1:6379/_x', 'scheme'],
    ['ws://hooks.example.com/', 'scheme'],
    ['javascript://hooks.example.com/', 'scheme'],
    ['https://user:password@hooks.example.com/', 'user_info'],
    ['https://user@hooks.example.com/', 'user_info'],
    ['https://@hooks.example.com/', 'user_info'],
    ['https://:@hooks.example.com/', 'user_info'],
    ['https://hooks.example.com@127.0.0.1/', 'user_info'],
    ['https://a..b/', 'host'],
    ['https://-a.example/', 'host'],
    ['https://a*b.example/', 'host'],
    ['https://hooks.example.com:0/', 'port'],
    ['https://hooks.example.com:22/', 'port'],
    ['https://hooks.example.com:25/', 'port'],
    ['https://hooks.example.com:81/', 'port'],
    ['https://hooks.example.com:1023/', 'port'],
    ['http://127.0.0.1:8080/', 'forbidden_address'],
    ['http://0x7f.1:8080/', 'forbidden_address'],
    ['http://2130706433/', 'forbidden_address'],
    ['http://017700000001/', 'forbidden_address'],
    ['http://１２７。０。０。１/', 'forbidden_address'],
    ['http://%31%32%37.0.0.1/', 'forbidden_address'],
    ['http://127.0.0.1./', 'forbidden_address'],
    ['http://[::1]/', 'forbidden_address'],
    ['http://[::ffff:127.0.0.1]/', 'forbidden_address'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'forbidden_address'],
    ['http://169.254.169.254/latest/meta-data/', 'forbidden_address'],
  ])('rejects %j: %s', (url, reason) => expect(reasonFor(url)).toBe(reason));

  test('EGRESS_ALLOW_CIDRS applies to a destination URL in the same way as in the proxy', () => {
    const loopback = parseCidr('127.0.0.0/8');
    expect(checkDestinationUrl('http://127.0.0.1:9000/hook', loopback ? [loopback] : [])).toMatchObject({
      ok: true,
      host: { kind: 'address', address: { text: '127.0.0.1' } },
      port: 9000,
    });
  });
});
