import { describe, expect, test } from '@jest/globals';
import { resolveAndCheck } from './resolve-and-check.js';

const answering = (...addresses: string[]) => ({ resolve: async () => addresses, allowCidrs: [] });

describe('resolveAndCheck', () => {
  test('all addresses of a name are allowed, or none', async () => {
    expect(await resolveAndCheck('a.example', answering('8.8.8.8', '2606:4700:4700::1111'))).toMatchObject({
      kind: 'allowed',
      addresses: [{ text: '8.8.8.8' }, { text: '2606:4700:4700::1111' }],
    });
    for (const mixed of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['8.8.8.8', '2606:4700:4700::1111', '::ffff:10.0.0.1'],
    ]) {
      expect(await resolveAndCheck('a.example', answering(...mixed))).toMatchObject({ kind: 'forbidden' });
    }
  });

  test('a host that is an address is judged without a look-up, in every spelling', async () => {
    const neverAsked = {
      resolve: async (): Promise<string[]> => {
        throw new Error('asked');
      },
      allowCidrs: [],
    };
    for (const host of ['0x7f.1', '[::1]', '2130706433', '127.0.0.1.']) {
      expect(await resolveAndCheck(host, neverAsked)).toEqual({ kind: 'forbidden', reason: 'loopback' });
    }
    expect(await resolveAndCheck('[fe80::1%25eth0]', neverAsked)).toEqual({ kind: 'forbidden', reason: 'zone_id' });
    expect(await resolveAndCheck('a..b', neverAsked)).toEqual({ kind: 'invalid_host' });
    expect(await resolveAndCheck('8.8.8.8', neverAsked)).toMatchObject({ kind: 'allowed' });
  });

  test('the resolver is asked for the name in its one spelling', async () => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return ['8.8.8.8'];
    };
    await resolveAndCheck('MÜNCHEN.Example.', { resolve, allowCidrs: [] });
    expect(asked).toEqual(['xn--mnchen-3ya.example']);
  });

  test('a name that does not exist differs from name servers that do not answer', async () => {
    expect(await resolveAndCheck('a.example', answering())).toEqual({ kind: 'name_not_found' });
    const cause = new Error('SERVFAIL');
    const failing = { resolve: () => Promise.reject(cause), allowCidrs: [] };
    expect(await resolveAndCheck('a.example', failing)).toEqual({ kind: 'lookup_failed', cause });
  });

  test('an answer that is no address is refused', async () => {
    expect(await resolveAndCheck('a.example', answering('8.8.8.8', '0x7f.1'))).toEqual({
      kind: 'forbidden',
      reason: 'not_an_address',
    });
  });
});
