import { expect, test } from '@jest/globals';
import { type Cidr, parseCidr } from './ip-address.js';
import { judgeDestination } from './judge-destination.js';

const loopback = parseCidr('127.0.0.0/8') as Cidr;

function judge(url: string, answers: readonly string[] | Error, allowCidrs: readonly Cidr[] = []) {
  const resolve = async () => {
    if (answers instanceof Error) throw answers;
    return answers;
  };
  return judgeDestination(url, { resolve, allowCidrs });
}

test('a name with public addresses is allowed', async () => {
  expect(await judge('https://receiver.example/', ['8.8.8.8'])).toEqual({ ok: true });
});

test('a name that does not resolve yet, or whose servers are silent, is allowed', async () => {
  expect(await judge('https://receiver.example/', [])).toEqual({ ok: true });
  expect(await judge('https://receiver.example/', new Error('SERVFAIL'))).toEqual({ ok: true });
});

test.each([
  ['https://receiver.example/', ['10.0.0.1'], 'leads to a network'],
  ['https://receiver.example/', ['8.8.8.8', '169.254.169.254'], 'leads to a network'],
  ['http://127.0.0.1:9000/', [], 'leads to a network'],
  ['ftp://receiver.example/', [], 'must start with https'],
  ['https://user@receiver.example/', [], 'user name or password'],
  ['https://receiver.example:25/', [], 'port of the URL'],
  ['receiver.example', [], 'must be an absolute'],
])('%s (%j) is rejected with a message for the customer', async (url, answers, part) => {
  expect(await judge(url, answers)).toEqual({ ok: false, message: expect.stringContaining(part) });
});

test('addresses in EGRESS_ALLOW_CIDRS are allowed', async () => {
  expect(await judge('http://127.0.0.1:9000/', [], [loopback])).toEqual({ ok: true });
  expect(await judge('http://receiver.example:9000/', ['127.0.0.1'], [loopback])).toEqual({ ok: true });
});

test('EGRESS_ALLOW_CIDRS does not allow link-local addresses', async () => {
  const everything = ['0.0.0.0/0', '169.254.0.0/16', '::/0', 'fe80::/10'].map((text) => parseCidr(text) as Cidr);
  for (const host of ['169.254.0.1', '169.254.169.254', '[fe80::1]']) {
    expect(await judge(`http://${host}/`, [], everything)).toMatchObject({ ok: false });
  }
});

test('every forbidden address gets the same message, on every port', async () => {
  const hosts = ['127.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '[64:ff9b::a9fe:a9fe]', '0x7f.1', 'localhost'];
  const urls = hosts.flatMap((host) => [`http://${host}/`, `https://${host}:6379/`, `http://${host}:8080/`]);
  const verdicts = await Promise.all(urls.map((url) => judge(url, ['127.0.0.1'])));
  for (const answers of [['10.0.0.1'], ['8.8.8.8', '::1'], ['2002:7f00:1::']]) {
    verdicts.push(await judge('https://receiver.example/', answers));
  }
  const sentence = 'The URL leads to a network that we do not send webhooks to.';
  expect(verdicts).toEqual(verdicts.map(() => ({ ok: false, message: sentence })));
});

test.each([
  'redis',
  'redis.',
  'printer.local',
  'api.internal',
  'redis.default.svc',
  'redis.default.svc.cluster.local',
  'a.localhost',
])('the internal name %s is rejected without a lookup, so that its existence stays secret', async (host) => {
  const lookups: string[] = [];
  const resolve = async (name: string) => {
    lookups.push(name);
    return [];
  };
  const refused = await judgeDestination(`http://${host}/`, { resolve, allowCidrs: [] });
  expect(refused).toEqual({ ok: false, message: 'The URL leads to a network that we do not send webhooks to.' });
  expect(lookups).toEqual([]);
  expect(await judge(`http://${host}/`, ['127.0.0.1'], [loopback])).toEqual({ ok: true });
});
