import { describe, expect, test } from '@jest/globals';
import { entityTag, matchesTag } from './answer.js';

describe('entity tags', () => {
  const tag = entityTag('{"data":[]}');

  test('an entity tag is the same for equal bytes and different for different bytes', () => {
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(entityTag('{"data":[]}')).toBe(tag);
    expect(entityTag('{"data":[ ]}')).not.toBe(tag);
  });

  test.each([tag, `W/${tag}`, `"other", ${tag}`, `"other",${tag},"third"`, '*'])(
    'the tag matches If-None-Match: %s',
    (header) => {
      expect(matchesTag(header, tag)).toBe(true);
    },
  );

  test.each([undefined, '', '"other"', tag.slice(1, -1), tag.toUpperCase()])(
    'the tag does not match If-None-Match: %s',
    (header) => {
      expect(matchesTag(header, tag)).toBe(false);
    },
  );
});
