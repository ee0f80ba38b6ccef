import { expect, test } from '@jest/globals';
import { dateFormats } from './zoned-time.js';

function spelling(zone: string, index: number): string {
  return [...zone.toLowerCase()]
    .map((letter, place) => ((index >> place) & 1 ? letter.toUpperCase() : letter))
    .join('');
}

test('date formats are cached, and the cache is cleared when it is full', () => {
  const formatOf = dateFormats({ dateStyle: 'short' });
  const first = formatOf('en', 'Europe/Paris');
  expect(formatOf('en', 'Europe/Paris')).toBe(first);
  for (let index = 0; index < 1_000; index += 1) formatOf('en', spelling('europe/lisbon', index));
  expect(formatOf('en', 'Europe/Paris')).not.toBe(first);
});

test('every month is shortened to three letters', () => {
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2025, month, 12)));
  const texts = months.map((at) => dateFormats({ dateStyle: 'medium' })('en-GB', 'UTC').format(at));
  expect(texts.filter((text) => !/^12 [A-Z][a-z]{2} 2025$/.test(text))).toEqual([]);
});
