import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecretBox, SealError } from './secret-box.js';

const key = randomBytes(32);
const box = createSecretBox(key);

test('whatever is sealed opens again, in its own place only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, place, otherPlace) => {
      const sealed = box.seal(text, place);
      expect(box.open(sealed, place)).toBe(text);
      if (place !== otherPlace) expect(() => box.open(sealed, otherPlace)).toThrow(SealError);
    }),
  );
});

test('the same text is never sealed to the same bytes', () => {
  expect(box.seal('secret', 'dst_1')).not.toEqual(box.seal('secret', 'dst_1'));
});

test('a single changed bit is refused, wherever it is', () => {
  const sealed = box.seal('secret', 'dst_1');
  for (let index = 0; index < sealed.length * 8; index += 1) {
    const changed = Uint8Array.from(sealed);
    changed[index >> 3] = (changed[index >> 3] ?? 0) ^ (1 << (index & 7));
    expect(() => box.open(changed, 'dst_1')).toThrow(SealError);
  }
});

test.each([0, 1, 8, 36])('%i bytes are refused as what nobody sealed', (length) => {
  expect(() => box.open(new Uint8Array(length), 'dst_1')).toThrow(SealError);
});

describe('with a new key', () => {
  const sealedBefore = box.seal('secret', 'dst_1');
  const newKey = randomBytes(32);

  test('what the retired one sealed still opens, and is known as outdated', () => {
    const rotated = createSecretBox(newKey, [key]);
    expect(rotated.open(sealedBefore, 'dst_1')).toBe('secret');
    expect(rotated.isOutdated(sealedBefore)).toBe(true);
    const sealedAfter = rotated.seal('secret', 'dst_1');
    expect(rotated.isOutdated(sealedAfter)).toBe(false);
    expect(createSecretBox(newKey).open(sealedAfter, 'dst_1')).toBe('secret');
  });

  test('and the retired one gone, the refusal names the missing key and no secret', () => {
    expect(() => createSecretBox(newKey).open(sealedBefore, 'dst_1')).toThrow(/No key with the id [0-9a-f]{16}/);
  });
});

test('a key of another length is refused', () => {
  expect(() => createSecretBox(randomBytes(16))).toThrow(TypeError);
});
