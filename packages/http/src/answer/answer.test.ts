import { describe, expect, test } from '@jest/globals';
import { entityTag, matchesTag } from './answer.js';

describe('an entity tag', () => {
  const tag = entityTag('{"data":[]}');

  test('is the same for equal bytes and different for different bytes', () => {
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(entityTag('{"data":[]}')).toBe(tag);
    expect(entityTag('{"data":[ ]}')).not.toBe(tag);
  });

  test.each([tag, `W/${tag}`, `"other", ${tag}`, `"other",${tag},"third"`, '*'])(
    'matches If-None-Match: %s',
    (header) => {
      expect(matchesTag(header, tag)).toBe(true);
    },
  );

  test.each([undefined, '', '"other"', tag.slice(1, -1), tag.toUpperCase()])(
    'does not match If-None-Match: %s',
    (header) => {
      expect(matchesTag(header, tag)).toBe(false);
    },
  );
});
