import { expect, test } from '@jest/globals';
import { type Cidr, parseCidr } from './ip-address.js';
import { judgeDestination } from './judge-destination.js';

const loopback = parseCidr('127.0.0.0/8') as Cidr;
const FORBIDDEN = "We can't send to this URL, because it is not on the public internet.";

test('a host name is allowed, because only the egress proxy looks it up', () => {
  expect(judgeDestination('https://receiver.example/', { allowCidrs: [] })).toEqual({ ok: true });
});

test.each([
  ['http://127.0.0.1:9000/', 'is not on the public internet'],
  ['ftp://receiver.example/', 'must start with https'],
  ['https://user@receiver.example/', 'user name or password'],
  ['https://receiver.example:25/', 'port of the URL'],
  ['receiver.example', 'must be an absolute'],
  ['https://receiver.example/\u0000', 'control characters'],
])('%j is rejected with a message for the customer', (url, part) => {
  expect(judgeDestination(url, { allowCidrs: [] })).toEqual({ ok: false, message: expect.stringContaining(part) });
});

test('addresses in EGRESS_ALLOW_CIDRS are allowed', () => {
  expect(judgeDestination('http://127.0.0.1:9000/', { allowCidrs: [loopback] })).toEqual({ ok: true });
});

test('EGRESS_ALLOW_CIDRS does not allow link-local addresses', () => {
  const everything = ['0.0.0.0/0', '169.254.0.0/16', '::/0', 'fe80::/10'].map((text) => parseCidr(text) as Cidr);
  for (const host of ['169.254.0.1', '169.254.169.254', '[fe80::1]']) {
    expect(judgeDestination(`http://${host}/`, { allowCidrs: everything })).toMatchObject({ ok: false });
  }
});

test('every forbidden address gets the same message, on every port', () => {
  const hosts = ['127.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '[64:ff9b::a9fe:a9fe]', '0x7f.1', 'localhost'];
  const urls = hosts.flatMap((host) => [`http://${host}/`, `https://${host}:6379/`, `http://${host}:8080/`]);
  for (const url of urls) expect(judgeDestination(url, { allowCidrs: [] })).toEqual({ ok: false, message: FORBIDDEN });
});

test.each([
  'redis',
  'redis.',
  'printer.local',
  'api.internal',
  'redis.default.svc',
  'redis.default.svc.cluster.local',
  'a.localhost',
])('the internal name %s is rejected unless EGRESS_ALLOW_CIDRS allows loopback addresses', (host) => {
  expect(judgeDestination(`http://${host}/`, { allowCidrs: [] })).toEqual({ ok: false, message: FORBIDDEN });
  expect(judgeDestination(`http://${host}/`, { allowCidrs: [loopback] })).toEqual({ ok: true });
});
