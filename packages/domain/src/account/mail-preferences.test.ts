import { describe, expect, test } from '@jest/globals';
import { digestPeriodAt } from './mail-preferences.js';

const at = (text: string) => new Date(text);

test.each([
  ['UTC', '2026-05-06T08:00:00Z', 'daily', '2026-05-06', '2026-05-05T08:00:00Z', '2026-05-06T08:00:00Z'],
  ['UTC', '2026-05-06T07:59:59Z', 'daily', '2026-05-05', '2026-05-04T08:00:00Z', '2026-05-05T08:00:00Z'],
  ['Europe/Berlin', '2026-03-29T06:00:00Z', 'daily', '2026-03-29', '2026-03-28T07:00:00Z', '2026-03-29T06:00:00Z'],
  ['Europe/Berlin', '2026-10-25T07:00:00Z', 'daily', '2026-10-25', '2026-10-24T06:00:00Z', '2026-10-25T07:00:00Z'],
  ['Asia/Kathmandu', '2026-05-06T02:15:00Z', 'daily', '2026-05-06', '2026-05-05T02:15:00Z', '2026-05-06T02:15:00Z'],
  ['Pacific/Apia', '2026-05-05T19:00:00Z', 'daily', '2026-05-06', '2026-05-04T19:00:00Z', '2026-05-05T19:00:00Z'],
  ['America/New_York', '2026-03-11T15:00:00Z', 'weekly', '2026-03-09', '2026-03-02T13:00:00Z', '2026-03-09T12:00:00Z'],
  ['Europe/Berlin', '2026-03-30T05:59:00Z', 'weekly', '2026-03-23', '2026-03-16T07:00:00Z', '2026-03-23T07:00:00Z'],
] as const)('in the zone %s at %s, the last %s digest period ends on %s', (zone, now, cadence, day, since, until) => {
  expect(digestPeriodAt(at(now), zone, cadence)).toEqual({ day, since: at(since), until: at(until) });
});

describe.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Sao_Paulo'])(
  'over a year in %s',
  (zone) => {
    test.each([
      ['daily', 364],
      ['weekly', 52],
    ] as const)('every instant is in exactly one %s digest period', (cadence, count) => {
      const periods = new Map<string, { since: Date; until: Date }>();
      for (let ms = Date.UTC(2026, 0, 5); ms < Date.UTC(2027, 0, 4); ms += 8 * 3_600_000) {
        const { day, ...period } = digestPeriodAt(new Date(ms), zone, cadence);
        expect(periods.get(day) ?? period).toEqual(period);
        periods.set(day, period);
      }
      const inOrder = [...periods.values()];
      for (const [index, { since }] of inOrder.entries()) {
        if (index > 0) expect(since).toEqual(inOrder[index - 1]?.until);
      }
      expect(Math.abs(inOrder.length - count)).toBeLessThanOrEqual(1);
    });
  },
);

test('an unknown time zone throws an error', () => {
  expect(() => digestPeriodAt(new Date(0), 'Mars/Olympus', 'daily')).toThrow(RangeError);
});
