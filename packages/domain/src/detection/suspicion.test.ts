import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { catalogue } from '../comparison/catalogue.arbitrary.js';
import { compare } from '../comparison/snapshot-comparison.js';
import { UnreadableRecordError } from './json-reading.js';
import { parseSuspicion, type SuspicionObservation, serialiseObservations } from './suspicion.js';

const observation: fc.Arbitrary<SuspicionObservation> = fc.record({
  observedAt: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
  paths: fc.record({
    listMissing: fc.boolean(),
    directRead: fc.constantFrom('gone' as const, 'alive' as const, 'unknown' as const, 'not_asked' as const),
  }),
});

describe('a suspicion', () => {
  test('survives being stored as JSON', () => {
    fc.assert(
      fc.property(catalogue, catalogue, fc.array(observation, { minLength: 1 }), fc.boolean(), (a, b, seen, held) => {
        for (const difference of compare(a, b)) {
          const stored = JSON.parse(JSON.stringify({ difference, observations: serialiseObservations(seen), held }));
          expect(parseSuspicion(stored)).toEqual({ key: difference.key, difference, observations: seen, held });
        }
      }),
    );
  });

  const difference = {
    key: 'release_removed:r1:',
    type: 'release_removed',
    rule: 'absence',
    severity: 'critical',
    entityType: 'release',
    entityId: 'r1',
    entityName: 'R',
    releaseId: null,
    releaseName: null,
    before: null,
    after: null,
  };
  const observations = [{ observedAt: '2026-03-01T00:00:00.000Z', paths: { listMissing: true, directRead: 'gone' } }];

  test('is read from its columns', () => {
    expect(parseSuspicion({ difference, observations, held: false }).observations[0].observedAt).toEqual(
      new Date('2026-03-01T00:00:00.000Z'),
    );
  });

  test.each([
    ['no difference', null, observations],
    ['a type that we do not detect', { ...difference, type: 'lyrics_changed' }, observations],
    ['no observation', difference, []],
    ['an observation at no time', difference, [{ ...observations[0], observedAt: 'soon' }]],
    ['an observation without paths', difference, [{ observedAt: '2026-03-01T00:00:00.000Z' }]],
  ])('with %s is refused', (_, oneDifference, someObservations) => {
    const stored = { difference: oneDifference, observations: someObservations, held: false };
    expect(() => parseSuspicion(stored)).toThrow(UnreadableRecordError);
  });
});
