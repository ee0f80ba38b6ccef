import { describe, expect, test } from '@jest/globals';
import { makeDifference } from '../change/difference.js';
import { CONFIRMATION_SETTINGS } from '../testing/catalogue-arbitrary.js';
import { checkSentence, toCheck } from './check.js';
import { provenPart, type Suspicion } from './suspicion.js';

const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 13, minute));
const clock = (instant: Date) => `${instant.toISOString().slice(11, 16)} UTC`;
const settings = { ...CONFIRMATION_SETTINGS, intervalMs: 10 * 60_000 };

function suspicion(type: 'release_removed' | 'release_title_changed', minutes: number[], held = false): Suspicion {
  const difference = makeDifference({ type, entityId: '1', entityName: 'Night Drive' });
  const [first, ...others] = minutes.map((minute) => ({
    observedAt: at(minute),
    paths: { listMissing: true, directRead: 'gone' as const },
    seen: null,
    snapshotId: null,
  }));
  if (!first) throw new Error('A suspicion must have an observation.');
  return { key: difference.key, difference, observations: [first, ...others], held, notes: [] };
}

describe('the earliest possible confirmation', () => {
  test.each([
    [
      'a removal observed once can be confirmed 30 minutes after that observation',
      'release_removed',
      [34],
      false,
      64,
      '1 of 3',
    ],
    [
      'a removal observed twice can be confirmed 30 minutes after the first observation',
      'release_removed',
      [34, 44],
      false,
      64,
      '2 of 3',
    ],
    [
      'the next observation can confirm a removal if 30 minutes have passed and one more observation is needed',
      'release_removed',
      [10, 45],
      false,
      55,
      '2 of 3',
    ],
    [
      'the next observation after 30 minutes can confirm a removal that already has enough observations',
      'release_removed',
      [34, 35, 58],
      false,
      68,
      '3 of 3',
    ],
    ['a removal on hold needs five observations over two hours', 'release_removed', [34, 44], true, 154, '2 of 5'],
    ['the next observation can confirm a changed title', 'release_title_changed', [34], false, 44, '1 of 2'],
  ] as const)('%s', (_what, type, minutes, held, certain, counted) => {
    const one = suspicion(type, [...minutes], held);
    const check = toCheck(one, settings);
    expect([check.since, check.certainAt]).toEqual([at(minutes[0]), at(certain)]);
    expect(`${check.counted} of ${check.needed}`).toBe(counted);
    expect(provenPart(one, settings)).toBeNull();
  });

  test('a value that changes back and forth needs five observations over two hours, and the text explains why', () => {
    const { difference, ...rest } = suspicion('release_title_changed', [34, 44]);
    const one = { ...rest, difference: { ...difference, unsteady: true } } as const;
    expect(provenPart(one, settings)).toBeNull();
    expect(checkSentence(one, toCheck(one, settings), clock)).toBe(
      'Different since 13:34 UTC (2 of 5 required observations). Earliest possible confirmation: 15:34 UTC. ' +
        'The value has recently changed back and forth, so more observations are needed.',
    );
  });

  test('a sentence describes the earliest possible confirmation', () => {
    const one = suspicion('release_removed', [34, 44]);
    expect(checkSentence(one, toCheck(one, settings), clock)).toBe(
      'Missing since 13:34 UTC (2 of 3 required observations). Earliest possible confirmation: 14:04 UTC.',
    );
  });
});
