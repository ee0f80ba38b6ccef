import { describe, expect, test } from '@jest/globals';
import { parseSince } from './change-filter.js';

describe('since', () => {
  test.each([
    ['2026-05-01T12:00:00Z', '2026-05-01T12:00:00.000Z', 'UTC'],
    ['2026-05-01t12:00:00z', '2026-05-01T12:00:00.000Z', 'lower-case t and z'],
    ['2026-05-01T12:00:00+02:00', '2026-05-01T10:00:00.000Z', 'an offset to the east'],
    ['2026-05-01T12:00:00-05:30', '2026-05-01T17:30:00.000Z', 'an offset to the west'],
    ['2026-05-01T12:00:00-00:00', '2026-05-01T12:00:00.000Z', 'an unknown local offset'],
    ['2026-05-01T12:00:00+23:59', '2026-04-30T12:01:00.000Z', 'the largest offset'],
    ['2026-05-01T12:00:00 02:00', '2026-05-01T10:00:00.000Z', 'an offset with a space instead of +'],
    ['2026-05-01T12:00:00.5Z', '2026-05-01T12:00:00.500Z', 'a fraction'],
    ['2026-05-01T12:00:00.123000Z', '2026-05-01T12:00:00.123Z', 'a fraction with more digits than needed'],
    [
      '2026-05-01T12:00:00.123001Z',
      '2026-05-01T12:00:00.124Z',
      'an instant between two milliseconds, which is rounded up',
    ],
    ['2026-05-01T12:00:00.999999999Z', '2026-05-01T12:00:01.000Z', 'an instant that is rounded up to the next second'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z', 'a leap day'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', 'the first year'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z', 'the last year'],
  ])('%s is parsed as %s (%s)', (text, expected) => {
    expect(parseSince(text)?.toISOString()).toBe(expected);
  });

  test.each(['2016-12-31T23:59:60Z', '2016-12-31T15:59:60-08:00', '2017-01-01T05:29:60+05:30'])(
    'the leap second %s is read as the end of its UTC day',
    (text) => {
      expect(parseSince(text)?.getTime()).toBe(Date.UTC(2017, 0, 1) - 1);
    },
  );

  test.each([
    ['', 'nothing'],
    ['2026-05-01', 'a date alone'],
    ['2026-05-01T12:00:00', 'no zone'],
    ['2026-05-01T12:00Z', 'no seconds'],
    ['2026-05-01 12:00:00Z', 'a space instead of T'],
    ['2026-05-0112:00:00Z', 'no T'],
    ['2026-05-01T12:00:00 Z', 'a space before the zone'],
    ['2026-05-01T12:00:00+0200', 'an offset without a colon'],
    ['2026-05-01T12:00:00+02', 'an offset without minutes'],
    ['2026-05-01T12:00:00+24:00', 'an offset of 24 hours'],
    ['2026-05-01T12:00:00+02:60', 'an offset of 60 minutes'],
    ['2026-05-01T12:00:00.Z', 'a point without a fraction'],
    ['2026-05-01T12:00:00,5Z', 'a comma before the fraction'],
    ['2026-02-30T12:00:00Z', '30 February'],
    ['2026-02-29T12:00:00Z', '29 February in a year that is not a leap year'],
    ['2026-13-01T12:00:00Z', 'month 13'],
    ['2026-00-10T12:00:00Z', 'month 0'],
    ['2026-05-00T12:00:00Z', 'day 0'],
    ['2026-05-01T24:00:00Z', 'hour 24'],
    ['2026-05-01T12:60:00Z', 'minute 60'],
    ['2026-05-01T12:00:60Z', 'a leap second at noon'],
    ['2016-12-31T23:59:60+01:00', 'a leap second at 22:59:60 UTC'],
    ['2016-12-31T23:59:61Z', 'second 61'],
    ['26-05-01T12:00:00Z', 'a two-digit year'],
    ['12026-05-01T12:00:00Z', 'a five-digit year'],
    ['-2026-05-01T12:00:00Z', 'a year before Christ'],
    ['1777636800', 'Unix seconds'],
    ['1777636800000', 'Unix milliseconds'],
    ['2026-05-01T12:00:00Z ', 'a space at the end'],
    [' 2026-05-01T12:00:00Z', 'a space at the start'],
    ['2026-05-01T12:00:00Z\n', 'a line feed at the end'],
    ['2026-05-01T12:00:00\u0000Z', 'NUL'],
    ['２026-05-01T12:00:00Z', 'a non-ASCII digit'],
    ['2026-W18-5T12:00:00Z', 'a week date'],
    ['20260501T120000Z', 'the basic format'],
    ['yesterday', 'a word'],
  ])('rejects %j: %s', (text) => {
    expect(parseSince(text)).toBeUndefined();
  });
});
