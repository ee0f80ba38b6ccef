import { describe, expect, test } from '@jest/globals';
import { resolveAndCheck } from './check-address.js';

const resolvingTo = (...addresses: string[]) => ({ resolve: async () => addresses, allowCidrs: [] });

describe('resolveAndCheck', () => {
  test('a name is allowed only if all its addresses are allowed', async () => {
    expect(await resolveAndCheck('a.example', resolvingTo('8.8.8.8', '2606:4700:4700::1111'))).toMatchObject({
      kind: 'allowed',
      addresses: [{ text: '8.8.8.8' }, { text: '2606:4700:4700::1111' }],
    });
    for (const mixed of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['8.8.8.8', '2606:4700:4700::1111', '::ffff:10.0.0.1'],
    ]) {
      expect(await resolveAndCheck('a.example', resolvingTo(...mixed))).toMatchObject({ kind: 'forbidden' });
    }
  });

  test('a host that is an IP address, in any spelling, is not looked up', async () => {
    const failIfCalled = {
      resolve: async (): Promise<string[]> => {
        throw new Error('called');
      },
      allowCidrs: [],
    };
    for (const host of ['0x7f.1', '[::1]', '2130706433', '127.0.0.1.']) {
      expect(await resolveAndCheck(host, failIfCalled)).toEqual({ kind: 'forbidden', reason: 'loopback' });
    }
    expect(await resolveAndCheck('[fe80::1%25eth0]', failIfCalled)).toEqual({ kind: 'forbidden', reason: 'zone_id' });
    expect(await resolveAndCheck('a..b', failIfCalled)).toEqual({ kind: 'invalid_host' });
    expect(await resolveAndCheck('8.8.8.8', failIfCalled)).toMatchObject({ kind: 'allowed' });
  });

  test('the resolver gets the name in its canonical spelling', async () => {
    const lookups: string[] = [];
    const resolve = async (name: string) => {
      lookups.push(name);
      return ['8.8.8.8'];
    };
    await resolveAndCheck('MÜNCHEN.Example.', { resolve, allowCidrs: [] });
    expect(lookups).toEqual(['xn--mnchen-3ya.example']);
  });

  test('a nonexistent name and a failed lookup have different results', async () => {
    expect(await resolveAndCheck('a.example', resolvingTo())).toEqual({ kind: 'name_not_found' });
    const cause = new Error('SERVFAIL');
    const failing = { resolve: () => Promise.reject(cause), allowCidrs: [] };
    expect(await resolveAndCheck('a.example', failing)).toEqual({ kind: 'lookup_failed', cause });
  });

  test('a lookup result that is not an IP address is rejected', async () => {
    expect(await resolveAndCheck('a.example', resolvingTo('8.8.8.8', '0x7f.1'))).toEqual({
      kind: 'forbidden',
      reason: 'not_an_address',
    });
  });
});
