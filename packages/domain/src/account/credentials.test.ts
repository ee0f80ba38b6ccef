import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { API_KEY_RANDOM_BYTES, isWellFormedApiKey, makeApiKey } from './credentials.js';

const bytes = fc.uint8Array({ minLength: API_KEY_RANDOM_BYTES, maxLength: API_KEY_RANDOM_BYTES });
const KEY = makeApiKey(Uint8Array.from({ length: API_KEY_RANDOM_BYTES }, (_, index) => index * 7));

describe('API keys', () => {
  test('an API key consists of aw_live_ and 36 base62 characters', () => {
    expect(KEY).toMatch(/^aw_live_[0-9A-Za-z]{36}$/);
    expect(isWellFormedApiKey(KEY)).toBe(true);
  });

  test('an API key ends with the CRC-32 of the preceding characters, in base62', () => {
    // The zip command computes the same CRC-32, 0xcedebdf3.
    expect(isWellFormedApiKey(`aw_live_${'0'.repeat(30)}3msigd`)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['only the prefix', 'aw_live_'],
    ['a different prefix', KEY.replace('aw_live_', 'aw_test_')],
    ['a key in lower case', KEY.toLowerCase()],
    ['a key that is one character too short', KEY.slice(0, -1)],
    ['a key that is one character too long', `${KEY}0`],
    ['a key after a space', ` ${KEY}`],
    ['a key followed by a line feed', `${KEY}\n`],
    ['a character that is not base62', `${KEY.slice(0, -1)}-`],
    ['a non-Latin letter', `${KEY.slice(0, 20)}а${KEY.slice(21)}`],
  ])('a text is not a well-formed API key: %s', (_, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });

  test.each([0, 31, 33])('an API key cannot be created from %i bytes', (length) => {
    expect(() => makeApiKey(new Uint8Array(length))).toThrow(RangeError);
  });

  test('every new API key is well-formed, and different random bytes give different keys', () => {
    fc.assert(
      fc.property(bytes, bytes, (some, others) => {
        expect(isWellFormedApiKey(makeApiKey(some))).toBe(true);
        if (Buffer.compare(some, others) !== 0) expect(makeApiKey(some)).not.toBe(makeApiKey(others));
      }),
    );
  });

  test('the checksum detects every mistyped character and every swap of adjacent characters', () => {
    const alphabet = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
    fc.assert(
      fc.property(bytes, fc.integer({ min: 8, max: 42 }), fc.constantFrom(...alphabet), (random, at, typed) => {
        const key = makeApiKey(random);
        const mistyped = key.slice(0, at) + typed + key.slice(at + 1);
        expect(isWellFormedApiKey(mistyped)).toBe(mistyped === key);
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
        expect(isWellFormedApiKey(swapped)).toBe(swapped === key);
      }),
      { numRuns: 500 },
    );
  });

  test('every random position of an API key can have any base62 character', () => {
    const seen = Array.from({ length: 44 }, () => new Set<string>());
    const random = fc.sample(bytes, { numRuns: 4_000, seed: 1 });
    for (const some of random) {
      for (const [place, character] of [...makeApiKey(some)].entries()) seen[place]?.add(character);
    }
    expect(seen.slice(8, 38).map((characters) => characters.size)).toEqual(Array.from({ length: 30 }, () => 62));
  });
});
