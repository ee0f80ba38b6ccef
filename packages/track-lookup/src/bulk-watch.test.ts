import { describe, expect, test } from '@jest/globals';
import { csvLines, decodeLines } from './bulk-watch.js';

const texts = (csv: string) => csvLines(csv).map(({ text }) => text);

describe('CSV files', () => {
  test.each([
    [
      'the delimiter is set by the sep= line',
      'sep=;\r\nTyler, The Creator;Columbia\r\nRosalía;\r\n',
      ['Tyler, The Creator', 'Rosalía'],
    ],
    [
      'the delimiter is set by a sep= line after a byte order mark',
      '\ufeffsep=|\nEarth, Wind & Fire|x;y\n',
      ['Earth, Wind & Fire'],
    ],
    [
      'the delimiter is detected in the heading',
      'Artist Name;Label\nTyler, The Creator;Columbia\nRosalía\n',
      ['Tyler, The Creator', 'Rosalía'],
    ],
    [
      'a heading with one column means that there is no delimiter',
      'Artist\nTyler, The Creator\nEarth, Wind & Fire\n',
      ['Tyler, The Creator', 'Earth, Wind & Fire'],
    ],
    [
      'the delimiter gives all lines the same number of columns',
      'Künstler;Label\nTyler, The Creator;Columbia\n',
      ['Künstler', 'Tyler, The Creator'],
    ],
    [
      'a comma within a name is not the delimiter, even if the file has only one line',
      'Tyler, The Creator;Columbia',
      ['Tyler, The Creator'],
    ],
    [
      'the delimiter can be a tab',
      'Tyler, The Creator\tRap; Soul\nRosalía\tFlamenco\n',
      ['Tyler, The Creator', 'Rosalía'],
    ],
    ['the delimiter can be a comma', '27,ours\n"Vale, Nina",\n', ['27', 'Vale, Nina']],
    ['the delimiter is chosen so that every quote is closed', '27\n"Vale, Nina",theirs\n', ['27', 'Vale, Nina']],
    ['a file may have no delimiter', 'Tyler, The Creator\nRosalía\n', ['Tyler, The Creator', 'Rosalía']],
    ['a file with quotes may have no delimiter', '"Tyler, The Creator"\nRosalía\n', ['Tyler, The Creator', 'Rosalía']],
  ])('%s', (_, csv, artists) => expect(texts(csv)).toEqual(artists));
});

test.each(['Artist Name', 'Deezer ID', 'Spotify Artist ID', 'ARTIST_URL', 'platform_id', 'Artist URI', 'Links'])(
  'the heading %s is not mistaken for an artist',
  (heading) => {
    expect(texts(`${heading},note\n27,ours\n`)).toEqual(['27']);
    expect(texts(`${heading}\n27\n`)).toEqual(['27']);
  },
);

test.each(['Artist vs Poet', 'The Names', 'Deezer', 'Hyperlink'])(
  'the artist name %s is not mistaken for a heading',
  (artist) => expect(texts(`${artist},ours\n27,ours\n`)).toEqual([artist, '27']),
);

test('UTF-16 files from Excel are decoded, and other encodings are rejected', () => {
  const text = 'Artist Name\tLabel\r\nRosalía\tColumbia\r\n';
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  expect(texts(decodeLines(utf16))).toEqual(['Rosalía']);
  expect(texts(decodeLines(Buffer.from(utf16).swap16()))).toEqual(['Rosalía']);
  expect(texts(decodeLines(Buffer.from(`\ufeff${text}`)))).toEqual(['Rosalía']);
  expect(() => decodeLines(Buffer.from(text, 'latin1'))).toThrow('not valid');
});

test('line numbers include the skipped lines of the file', () => {
  expect(csvLines('sep=;\nArtist;Label\n\n27;x\n').map(({ number }) => number)).toEqual([4]);
});

test('only the first 1,000 lines of a file are read, which is twice the maximum length of a list', () => {
  expect(csvLines('27\n'.repeat(65_536))).toHaveLength(1_000);
});

test('a file in which a quote remains open with every delimiter is rejected', () => {
  expect(() => csvLines('"Vale, Nina\n27\n')).toThrow();
});
