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
      'there is no delimiter if the heading has one column',
      'Artist\nTyler, The Creator\nEarth, Wind & Fire\n',
      ['Tyler, The Creator', 'Earth, Wind & Fire'],
    ],
    [
      'the delimiter is the one that gives all lines the same number of columns',
      'Künstler;Label\nTyler, The Creator;Columbia\n',
      ['Künstler', 'Tyler, The Creator'],
    ],
    [
      'a comma within the name is not the delimiter, even in a single line',
      'Tyler, The Creator;Columbia',
      ['Tyler, The Creator'],
    ],
    [
      'the delimiter can be a tab',
      'Tyler, The Creator\tRap; Soul\nRosalía\tFlamenco\n',
      ['Tyler, The Creator', 'Rosalía'],
    ],
    ['the delimiter can be a comma', '27,ours\n"Vale, Nina",\n', ['27', 'Vale, Nina']],
    ['the delimiter is the one with which every quote is closed', '27\n"Vale, Nina",theirs\n', ['27', 'Vale, Nina']],
    ['a file can have no delimiter', 'Tyler, The Creator\nRosalía\n', ['Tyler, The Creator', 'Rosalía']],
    [
      'a file that uses quotes need not contain the delimiter',
      '"Tyler, The Creator"\nRosalía\n',
      ['Tyler, The Creator', 'Rosalía'],
    ],
  ])('%s', (_, csv, artists) => expect(texts(csv)).toEqual(artists));
});

test.each(['Artist Name', 'Deezer ID', 'Spotify Artist ID', 'ARTIST_URL', 'platform_id', 'Artist URI', 'Links'])(
  'the heading %s is not read as an artist',
  (heading) => {
    expect(texts(`${heading},note\n27,ours\n`)).toEqual(['27']);
    expect(texts(`${heading}\n27\n`)).toEqual(['27']);
  },
);

test.each(['Artist vs Poet', 'The Names', 'Deezer', 'Hyperlink'])(
  'the artist %s is not skipped as a heading',
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

test("line numbers include the file's skipped lines", () => {
  expect(csvLines('sep=;\nArtist;Label\n\n27;x\n').map(({ number }) => number)).toEqual([4]);
});

test('reads only the first 1,000 lines of a file, twice the maximum length of a list', () => {
  expect(csvLines('27\n'.repeat(65_536))).toHaveLength(1_000);
});

test('an error is thrown if a quote remains unclosed with every delimiter', () => {
  expect(() => csvLines('"Vale, Nina\n27\n')).toThrow();
});
