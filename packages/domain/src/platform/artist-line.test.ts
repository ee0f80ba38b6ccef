import { expect, test } from '@jest/globals';
import { isSameName, parseArtistLine } from './platform-address.js';

test.each([
  ['27', { kind: 'id', platformId: '27' }],
  [' https://www.deezer.com/fr/artist/27?utm=1 ', { kind: 'id', platformId: '27' }],
  ['deezer.com/artist/27', { kind: 'id', platformId: '27' }],
  ['Daft   Punk', { kind: 'name', name: 'Daft Punk' }],
  ['AC/DC', { kind: 'name', name: 'AC/DC' }],
  ['will.i.am', { kind: 'name', name: 'will.i.am' }],
  ['   ', { kind: 'invalid', reason: 'empty' }],
  ['https://www.deezer.com/album/27', { kind: 'invalid', reason: 'other_kind' }],
  ['https://open.spotify.com/artist/4tZwfgrHOc3mvqYlEYSvVi', { kind: 'invalid', reason: 'other_platform' }],
  ['https://example.com/artist/27', { kind: 'invalid', reason: 'not_an_address' }],
  ['x'.repeat(101), { kind: 'invalid', reason: 'too_long' }],
  ['Nina\u0000Vale', { kind: 'invalid', reason: 'unreadable' }],
  ['Nina\ud800Vale', { kind: 'invalid', reason: 'unreadable' }],
])('the line %j means %j', (line, meaning) => {
  expect(parseArtistLine(line, 'deezer')).toEqual(meaning);
});

test('name comparison ignores case and white space, but not accents', () => {
  expect(isSameName('Björk', ' BJO\u0308RK ')).toBe(true);
  expect(isSameName('Daft\u00a0Punk', 'daft punk')).toBe(true);
  expect(isSameName('Björk', 'Bjork')).toBe(false);
});
