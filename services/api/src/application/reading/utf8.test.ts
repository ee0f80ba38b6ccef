import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { utf8Of } from './utf8.js';

test('pieces in UTF-8 are what their text is in UTF-8, whatever the letters', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
      expect(Buffer.from(utf8Of(pieces)).equals(Buffer.from(pieces.join('')))).toBe(true);
    }),
  );
});
