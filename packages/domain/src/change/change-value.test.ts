import { describe, expect, test } from '@jest/globals';
import { availabilityOfArtist } from './catalogue-availability.js';
import { CHANGE_TYPES, type ChangeValueKind, type DetectedChangeType } from './change-types.js';
import { type ChangeValue, changeValue, changeValues, changeValueText } from './change-value.js';
import { type JsonValue, makeDifference } from './difference.js';

const STORED: Readonly<Record<Exclude<ChangeValueKind, 'nothing'>, readonly [JsonValue, string]>> = {
  text: ['Night Drive', 'Night Drive'],
  date: ['2026-05', '2026-05'],
  picture: ['5718f7c8', '5718f7c8'],
  flag: [true, 'yes'],
  number: [48_210, '48210'],
  credits: [[{ platformId: '27', name: 'Nina Vale' }, { name: 'Ola' }], 'Nina Vale, Ola'],
  markets: [['DE', 'FR'], 'DE, FR'],
  release: [
    { platformId: '1', title: 'Night Drive', type: 'album', releaseDate: '2026-05-01', upc: '602', trackCount: 12 },
    'Night Drive (album, 2026-05-01, UPC 602, 12 tracks)',
  ],
  track: [{ platformId: '2', title: null, isrc: 'USRC17607839', position: 3 }, '2 (track 3, ISRC USRC17607839)'],
};

const kinds = Object.keys(STORED) as (keyof typeof STORED)[];
const types = Object.keys(CHANGE_TYPES) as DetectedChangeType[];

describe('values of changes', () => {
  test.each(kinds)('a stored value is parsed and converted to text: %s', (kind) => {
    const [stored, text] = STORED[kind];
    const value = changeValue(kind, stored) as ChangeValue;
    expect(value.kind).toBe(kind);
    expect(changeValueText(value)).toBe(text);
  });

  test.each(kinds)('a stored value is parsed as null if it is missing or of a different kind: %s', (kind) => {
    expect(changeValue(kind, null)).toBeNull();
    expect(changeValue(kind, { unknown: 1 })).toBeNull();
  });

  test.each(types)('the values before and after a change are of the same kind: %s', (type) => {
    const { value } = CHANGE_TYPES[type];
    const stored = value === 'nothing' ? null : STORED[value][0];
    const difference = makeDifference({ type, entityId: '1', entityName: 'One', before: stored, after: stored });
    const { before, after } = changeValues(difference);
    expect([before?.kind ?? 'nothing', after?.kind ?? 'nothing']).toEqual([value, value]);
  });

  test.each([
    ['availability_reduced', 'before'],
    ['availability_expanded', 'after'],
  ] as const)('%s for many releases lists the countries in %s', (type, side) => {
    const release = { platformId: '1', title: 'Night Drive', severity: 'warning' } as const;
    const shape = { markets: ['RU'], releases: [release], unseen: [{ ...release, platformId: '2' }], back: [], of: 9 };
    const values = changeValues(availabilityOfArtist(type, { platformId: '27', name: 'Nina Vale' }, shape));
    expect(values).toEqual({
      before: null,
      after: null,
      [side]: {
        kind: 'catalogue',
        value: {
          markets: ['RU'],
          releases: [
            { platformId: '1', title: 'Night Drive' },
            { platformId: '2', title: 'Night Drive' },
          ],
          of: 9,
        },
      },
    });
  });
});
