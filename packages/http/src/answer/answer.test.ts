import { describe, expect, test } from '@jest/globals';
import { entityTag, isHeld } from './answer.js';

describe('an entity tag', () => {
  const tag = entityTag('{"data":[]}');

  test('is strong: equal bytes have equal tags, and different bytes have different tags', () => {
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(entityTag('{"data":[]}')).toBe(tag);
    expect(entityTag('{"data":[ ]}')).not.toBe(tag);
  });

  test.each([tag, `W/${tag}`, `"other", ${tag}`, `"other",${tag},"third"`, '*'])(
    'matches If-None-Match: %s',
    (header) => {
      expect(isHeld(header, tag)).toBe(true);
    },
  );

  test.each([undefined, '', '"other"', tag.slice(1, -1), tag.toUpperCase()])(
    'does not match If-None-Match: %s',
    (header) => {
      expect(isHeld(header, tag)).toBe(false);
    },
  );
});
