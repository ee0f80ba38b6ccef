import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instantSchema, parseInstant } from './field-types.js';

describe('RFC 3339 times', () => {
  test.each([
    ['2026-05-01T12:00:00Z', '2026-05-01T12:00:00.000Z'],
    ['2026-05-01t12:00:00z', '2026-05-01T12:00:00.000Z'],
    ['2026-05-01T12:00:00.1Z', '2026-05-01T12:00:00.100Z'],
    ['2026-05-01T12:00:00.123999Z', '2026-05-01T12:00:00.123Z'],
    ['2026-05-01T12:00:00+02:00', '2026-05-01T10:00:00.000Z'],
    ['2026-05-01T12:00:00-00:00', '2026-05-01T12:00:00.000Z'],
    ['2026-01-01T00:30:00+23:59', '2025-12-31T00:31:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T00:59:60+01:00', '2016-12-31T23:59:59.999Z'],
  ])('%s is parsed as %s', (text, instant) => expect(parseInstant(text)?.toISOString()).toBe(instant));

  test.each([
    '',
    '2026-05-01',
    '2026-05-01T12:00:00',
    '2026-05-01 12:00:00Z',
    '2026-05-0112:00:00Z',
    '2026-05-01T12:00Z',
    '2026-05-01T12:00:00.Z',
    '2026-05-01T12:00:00,5Z',
    '2026-05-01T12:00:00+0200',
    '2026-05-01T12:00:00+02',
    '2026-05-01T12:00:00+24:00',
    '2026-05-01T12:00:00+02:60',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-05-00T00:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T12:60:00Z',
    '2026-05-01T12:00:61Z',
    '2026-05-01T12:00:60Z',
    '2016-12-31T23:59:60+01:00',
    '1777636800',
    ' 2026-05-01T12:00:00Z',
    '2026-05-01T12:00:00Z\n',
  ])('%j is not a valid time', (text) => expect(parseInstant(text)).toBeUndefined());

  test.each([
    ['0001-01-01T00:00:00Z', true],
    ['9999-12-31T23:59:59Z', true],
    ['0000-12-31T23:59:59Z', false],
    ['0000-01-01T00:00:00+23:59', false],
    ['0001-01-01T00:00:00+00:01', false],
    ['9999-12-31T23:59:59-00:01', false],
  ])('a time in a report is valid only if its UTC year is from 1 to 9999: %s (valid: %s)', (text, isValid) =>
    expect(instantSchema.safeParse(text).success).toBe(isValid),
  );

  test('a formatted time is parsed back to the same instant, in any zone', () => {
    const date = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(date, fc.integer({ min: -1_439, max: 1_439 }), (instant, offsetMinutes) => {
        const local = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
        const zone = `${offsetMinutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        expect(parseInstant(`${local}${zone}`)).toEqual(instant);
      }),
    );
  });
});
