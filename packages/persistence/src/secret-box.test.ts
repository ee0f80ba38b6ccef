import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecretBox, SealError } from './secret-box.js';

const key = randomBytes(32);
const box = createSecretBox(key);

test('a sealed text can be opened only with the same context', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, context, otherContext) => {
      const sealed = box.seal(text, context);
      expect(box.open(sealed, context)).toBe(text);
      if (context !== otherContext) expect(() => box.open(sealed, otherContext)).toThrow(SealError);
    }),
  );
});

test('sealing the same text twice gives different bytes', () => {
  expect(box.seal('secret', 'dst_1')).not.toEqual(box.seal('secret', 'dst_1'));
});

test('sealed bytes with one changed bit are rejected', () => {
  const sealed = box.seal('secret', 'dst_1');
  for (let index = 0; index < sealed.length * 8; index += 1) {
    const changed = Uint8Array.from(sealed);
    changed[index >> 3] = (changed[index >> 3] ?? 0) ^ (1 << (index & 7));
    expect(() => box.open(changed, 'dst_1')).toThrow(SealError);
  }
});

test.each([0, 1, 8, 36])('%i bytes are rejected as too short', (length) => {
  expect(() => box.open(new Uint8Array(length), 'dst_1')).toThrow(SealError);
});

describe('with a new key', () => {
  const sealedBefore = box.seal('secret', 'dst_1');
  const newKey = randomBytes(32);

  test('a value sealed with a retired key can be opened and is marked as outdated', () => {
    const rotated = createSecretBox(newKey, [key]);
    expect(rotated.open(sealedBefore, 'dst_1')).toBe('secret');
    expect(rotated.isOutdated(sealedBefore)).toBe(true);
    const sealedAfter = rotated.seal('secret', 'dst_1');
    expect(rotated.isOutdated(sealedAfter)).toBe(false);
    expect(createSecretBox(newKey).open(sealedAfter, 'dst_1')).toBe('secret');
  });

  test('the error about a missing key contains the id of that key', () => {
    expect(() => createSecretBox(newKey).open(sealedBefore, 'dst_1')).toThrow(/No key with the id [0-9a-f]{16}/);
  });
});

test('a key that is not 32 bytes long is rejected', () => {
  expect(() => createSecretBox(randomBytes(16))).toThrow(TypeError);
});
