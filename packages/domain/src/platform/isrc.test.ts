import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normaliseIsrc } from './platform-id.js';

describe('normaliseIsrc', () => {
  test.each([
    ['USRC17607839', 'USRC17607839'],
    ['usrc17607839', 'USRC17607839'],
    ['US-RC1-76-07839', 'USRC17607839'],
    ['US RC1 76 07839', 'USRC17607839'],
    ['  USRC17607839\n', 'USRC17607839'],
    ['US\u2011RC1\u201076\u00a007839', 'USRC17607839'],
    ['ISRC USRC17607839', 'USRC17607839'],
    ['isrc-us-rc1-76-07839', 'USRC17607839'],
    ['ISRCUSRC17607839', 'USRC17607839'],
    ['ISRC17607839', 'ISRC17607839'],
    ['IS-RC1-76-07839', 'ISRC17607839'],
    ['ISRC ISRC17607839', 'ISRC17607839'],
    ['GBA010000001', 'GBA010000001'],
  ])('%j is normalized to %s', (text, isrc) => {
    expect(normaliseIsrc(text)).toBe(isrc);
  });

  test.each([
    ['nothing', ''],
    ['only the word ISRC', 'ISRC'],
    ['a code that is one character too short', 'USRC1760783'],
    ['a code that is one character too long', 'USRC176078390'],
    ['a digit in the country', 'U1RC17607839'],
    ['a letter in the number', 'USRC1760783A'],
    ['a letter in the year', 'USRC1A607839'],
    ['a colon after the word', 'ISRC:USRC17607839'],
    ['the word twice', 'ISRCISRCUSRC17607839'],
    ['the word after the code', 'USRC17607839ISRC'],
    ['an en dash', 'US–RC1–76–07839'],
    ['a long s, which would be S in upper case', 'uſrc17607839'],
    ['a ligature, which would be FI in upper case', 'ﬁrc17607839'],
    ['a non-Latin letter', 'USRС17607839'],
    ['a non-ASCII digit', 'USRC1760783٩'],
    ['two codes', 'USRC17607839 USRC17607840'],
  ])('the result is null for %s: %j', (_, text) => {
    expect(normaliseIsrc(text)).toBeNull();
  });

  const isrc = fc.stringMatching(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/);

  test('an ISRC is recognized with any separators, in any case, and with or without a prefix', () => {
    const separator = fc.constantFrom('', '', ' ', '-', ' - ', '\t');
    fc.assert(
      fc.property(
        isrc,
        fc.array(separator, { minLength: 12, maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        (code, cuts, lower, announced) => {
          const cut = [...code].map((character, index) => character + (cuts[index] ?? '')).join('');
          const typed = (announced ? 'ISRC ' : '') + (lower ? cut.toLowerCase() : cut);
          expect(normaliseIsrc(typed)).toBe(code);
        },
      ),
    );
  });

  test('the result is a valid ISRC or null, and a normalized ISRC does not change', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z0-9 -]{10,20}$/), isrc),
        (text) => {
          const normalised = normaliseIsrc(text);
          if (normalised === null) return;
          expect(normalised).toMatch(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/);
          expect(normaliseIsrc(normalised)).toBe(normalised);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
