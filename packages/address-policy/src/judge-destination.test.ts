import { expect, test } from '@jest/globals';
import { type Cidr, parseCidr } from './cidr.js';
import { judgeDestination } from './judge-destination.js';

const loopback = parseCidr('127.0.0.0/8') as Cidr;

function judge(url: string, answers: readonly string[] | Error, allowCidrs: readonly Cidr[] = []) {
  const resolve = async () => {
    if (answers instanceof Error) throw answers;
    return answers;
  };
  return judgeDestination(url, { resolve, allowCidrs });
}

test('a name that leads to the public internet is taken', async () => {
  expect(await judge('https://receiver.example/', ['8.8.8.8'])).toEqual({ ok: true });
});

test('a name that does not resolve yet, or whose servers are silent, is taken', async () => {
  expect(await judge('https://receiver.example/', [])).toEqual({ ok: true });
  expect(await judge('https://receiver.example/', new Error('SERVFAIL'))).toEqual({ ok: true });
});

test.each([
  ['https://receiver.example/', ['10.0.0.1'], 'leads to a network'],
  ['https://receiver.example/', ['8.8.8.8', '169.254.169.254'], 'leads to a network'],
  ['http://127.0.0.1:9000/', [], 'leads to a network'],
  ['ftp://receiver.example/', [], 'must begin with https'],
  ['https://user@receiver.example/', [], 'user name or a password'],
  ['https://receiver.example:25/', [], 'port of the address'],
  ['receiver.example', [], 'must be an absolute'],
])('%s (%j) is refused with a sentence', async (url, answers, part) => {
  expect(await judge(url, answers)).toEqual({ ok: false, message: expect.stringContaining(part) });
});

test('what EGRESS_ALLOW_CIDRS opens is taken', async () => {
  expect(await judge('http://127.0.0.1:9000/', [], [loopback])).toEqual({ ok: true });
  expect(await judge('http://receiver.example:9000/', ['127.0.0.1'], [loopback])).toEqual({ ok: true });
});
