import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sign } from './index.js';

describe('sign', () => {
  test('the digest of <t>.<raw_body> matches the one from openssl', () => {
    // printf '1767225600.{"event":"change.confirmed"}' | openssl dgst -sha256 -hmac 'whsec_0123456789abcdef'
    expect(
      sign({ body: '{"event":"change.confirmed"}', secret: 'whsec_0123456789abcdef', timestamp: 1_767_225_600 }),
    ).toBe('t=1767225600,v1=078c8ac7f92780bd1955338b6d81766d46225bf83ac5c967250a381e5f86c721');
  });

  test('a string is signed as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), fc.nat(), (body, secret, timestamp) => {
        const bytes = new TextEncoder().encode(body);
        expect(sign({ body, secret, timestamp })).toBe(sign({ body: bytes, secret, timestamp }));
      }),
    );
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'the signing time must not be %p',
    (timestamp) => {
      expect(() => sign({ body: '', secret: 'secret', timestamp })).toThrow(TypeError);
    },
  );

  test('an empty secret is rejected, because anyone could compute its signature', () => {
    expect(() => sign({ body: '', secret: '', timestamp: 1 })).toThrow(TypeError);
  });
});
