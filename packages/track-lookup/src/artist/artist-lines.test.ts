import { describe, expect, test } from '@jest/globals';
import { csvLines, decodeLines } from './artist-lines.js';

const texts = (csv: string) => csvLines(csv).map(({ text }) => text);

describe('a CSV file has one delimiter', () => {
  test.each([
    ['of its sep= line', 'sep=;\r\nTyler, The Creator;Columbia\r\nRosalía;\r\n', ['Tyler, The Creator', 'Rosalía']],
    ['of its sep= line, after a byte order mark', '\ufeffsep=|\nEarth, Wind & Fire|x;y\n', ['Earth, Wind & Fire']],
    ['of its heading', 'Artist Name;Label\nTyler, The Creator;Columbia\nRosalía\n', ['Tyler, The Creator', 'Rosalía']],
    [
      'of its heading with one column',
      'Artist\nTyler, The Creator\nEarth, Wind & Fire\n',
      ['Tyler, The Creator', 'Earth, Wind & Fire'],
    ],
    [
      'that gives all lines the same number of columns',
      'Künstler;Label\nTyler, The Creator;Columbia\n',
      ['Künstler', 'Tyler, The Creator'],
    ],
    ['that is no comma of a name, in a single line', 'Tyler, The Creator;Columbia', ['Tyler, The Creator']],
    ['that is a tab', 'Tyler, The Creator\tRap; Soul\nRosalía\tFlamenco\n', ['Tyler, The Creator', 'Rosalía']],
    ['that is a comma', '27,ours\n"Vale, Nina",\n', ['27', 'Vale, Nina']],
    ['that makes quotes match', '27\n"Vale, Nina",theirs\n', ['27', 'Vale, Nina']],
    ['or none', 'Tyler, The Creator\nRosalía\n', ['Tyler, The Creator', 'Rosalía']],
    ['or none, and quotes', '"Tyler, The Creator"\nRosalía\n', ['Tyler, The Creator', 'Rosalía']],
  ])('%s', (_, csv, artists) => expect(texts(csv)).toEqual(artists));
});

test.each(['Artist Name', 'Deezer ID', 'Spotify Artist ID', 'ARTIST_URL', 'platform_id', 'Artist URI', 'Links'])(
  'the heading %s is no artist',
  (heading) => {
    expect(texts(`${heading},note\n27,ours\n`)).toEqual(['27']);
    expect(texts(`${heading}\n27\n`)).toEqual(['27']);
  },
);

test.each(['Artist vs Poet', 'The Names', 'Deezer', 'Hyperlink'])('the artist %s is no heading', (artist) =>
  expect(texts(`${artist},ours\n27,ours\n`)).toEqual([artist, '27']),
);

test('a file of Excel is read in UTF-16, and one in a national encoding is refused', () => {
  const text = 'Artist Name\tLabel\r\nRosalía\tColumbia\r\n';
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  expect(texts(decodeLines(utf16))).toEqual(['Rosalía']);
  expect(texts(decodeLines(Buffer.from(utf16).swap16()))).toEqual(['Rosalía']);
  expect(texts(decodeLines(Buffer.from(`\ufeff${text}`)))).toEqual(['Rosalía']);
  expect(() => decodeLines(Buffer.from(text, 'latin1'))).toThrow('not valid');
});

test('a line keeps its number in the file, whatever comes before it', () => {
  expect(csvLines('sep=;\nArtist;Label\n\n27;x\n').map(({ number }) => number)).toEqual([4]);
});

test('quotes that match with no delimiter are an error', () => {
  expect(() => csvLines('"Vale, Nina\n27\n')).toThrow();
});
