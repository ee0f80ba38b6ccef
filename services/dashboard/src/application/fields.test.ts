import { expect, test } from '@jest/globals';
import { knownZone, ZONES } from './fields.js';

test.each([
  'America/Argentina/Buenos_Aires',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'Africa/Asmara',
  'Asia/Kathmandu',
  'Atlantic/Faroe',
  'Pacific/Pohnpei',
  'US/Pacific',
  'Etc/GMT+5',
  'EST5EDT',
  ...ZONES,
])('the zone %s keeps its name', (zone) => expect(knownZone(zone)).toBe(zone));

test('an outdated zone name is replaced with the name in the list', () =>
  expect(knownZone('Europe/Kiev')).toBe('Europe/Kyiv'));

test.each([null, '', 'Mars/Olympus', 'Europe/Paris; DROP', 'undefined'])('%j is not a zone', (zone) =>
  expect(knownZone(zone)).toBeUndefined(),
);
