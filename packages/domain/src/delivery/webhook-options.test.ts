import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isUsableSigningSecret,
  makeSigningSecret,
  SIGNING_SECRET_RANDOM_BYTES,
  standardWebhooksKey,
} from './webhook-options.js';

const bytes = fc.uint8Array({ minLength: SIGNING_SECRET_RANDOM_BYTES, maxLength: SIGNING_SECRET_RANDOM_BYTES });

describe('makeSigningSecret', () => {
  test('a new signing secret is usable and contains all random bits', () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const secret = makeSigningSecret(random);
        expect(secret).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/);
        expect(isUsableSigningSecret(secret)).toBe(true);
        expect(Uint8Array.from(Buffer.from(secret.slice(6), 'base64'))).toEqual(random);
      }),
    );
  });

  test.each([0, 31, 33])('rejects %i bytes', (length) => {
    expect(() => makeSigningSecret(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('standardWebhooksKey', () => {
  test('secrets created by this version and by earlier versions are decoded', () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const earlier = `whsec_${Buffer.from(random).toString('base64url')}`;
        expect(Uint8Array.from(standardWebhooksKey(makeSigningSecret(random)))).toEqual(random);
        expect(Uint8Array.from(standardWebhooksKey(earlier))).toEqual(random);
      }),
    );
  });

  test.each([
    '0123456789abcdef',
    'whsec_not base64 at all',
    // Invalid base64.
    'whsec_mysecret12345',
    'whsec_mysecret1234=',
    'whsec_mysecret1234567=',
    'whsec_my-own_secret',
    'whsec_==========',
  ])('the key for %j, which is not base64, consists of the bytes of the text', (secret) => {
    expect(standardWebhooksKey(secret).toString()).toBe(secret);
  });
});

describe('isUsableSigningSecret', () => {
  test.each(['a'.repeat(16), '~'.repeat(256), 'a text with spaces and "signs"'])('accepts %j', (text) => {
    expect(isUsableSigningSecret(text)).toBe(true);
  });

  test.each([
    '',
    'a'.repeat(15),
    'a'.repeat(257),
    'a long secret, with a comma',
    `${'a'.repeat(16)},`,
    'a long secret with a\ttab',
    'a text with a line feed at the end\n',
    'schlüssel-mit-umlaut',
  ])('rejects %j', (text) => {
    expect(isUsableSigningSecret(text)).toBe(false);
  });
});
