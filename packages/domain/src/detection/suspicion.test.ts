import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { catalogue } from '../comparison/catalogue.arbitrary.js';
import { compare } from '../comparison/snapshot-comparison.js';
import { UnreadableRecordError } from './json-reading.js';
import { parseSuspicion, type SuspicionObservation, serialiseObservations } from './suspicion.js';
import { DIRECT_READS, type SuspicionNote, serialiseNotes } from './suspicion-note.js';

const observation: fc.Arbitrary<SuspicionObservation> = fc.record({
  observedAt: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
  paths: fc.record({
    listMissing: fc.boolean(),
    directRead: fc.constantFrom(...DIRECT_READS),
  }),
  seen: fc.jsonValue({ maxDepth: 2, noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value))),
  snapshotId: fc.option(fc.constant('snp_1')),
});

const at = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const detail = fc.option(fc.string());

const note: fc.Arbitrary<SuspicionNote> = fc.oneof(
  fc.record({
    kind: fc.constant('not_counted' as const),
    at,
    lastAt: at,
    times: fc.integer({ min: 1 }),
    why: fc.constantFrom('incomplete' as const, 'direct_read_unclear' as const, 'not_looked_at' as const),
    detail,
    snapshotId: detail,
  }),
  fc.record({ kind: fc.constant('held' as const), at, by: fc.constantFrom('artist' as const, 'fleet' as const) }),
  fc.record({
    kind: fc.constant('contradicted' as const),
    at,
    why: fc.constantFrom('alive' as const, 'back' as const, 'superseded' as const, 'overtaken' as const),
    directRead: fc.constantFrom(...DIRECT_READS),
    snapshotId: detail,
  }),
  fc.record({
    kind: fc.constantFrom('released' as const, 'dismissed' as const),
    at,
    by: fc.string(),
    reason: detail,
  }),
  fc.record({ kind: fc.constant('stands_no_longer' as const), at, snapshotId: detail }),
);

describe('a suspicion', () => {
  test('survives being stored as JSON', () => {
    fc.assert(
      fc.property(
        fc.tuple(catalogue, catalogue),
        fc.array(observation, { minLength: 1 }),
        fc.array(note),
        fc.boolean(),
        ([a, b], observations, notes, held) => {
          for (const difference of compare(a, b)) {
            const columns = {
              difference,
              observations: serialiseObservations(observations),
              notes: serialiseNotes(notes),
              held,
            };
            const stored = JSON.parse(JSON.stringify(columns));
            expect(parseSuspicion(stored)).toEqual({ key: difference.key, difference, observations, notes, held });
          }
        },
      ),
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

  test('is read from its columns, of an older version too', () => {
    expect(parseSuspicion({ difference, observations, notes: [], held: false }).observations).toEqual([
      {
        observedAt: new Date('2026-03-01T00:00:00.000Z'),
        paths: { listMissing: true, directRead: 'gone' },
        seen: null,
        snapshotId: null,
      },
    ]);
  });

  test.each([
    ['no difference', null, observations],
    ['a type that we do not detect', { ...difference, type: 'lyrics_changed' }, observations],
    ['no observation', difference, []],
    ['an observation at no time', difference, [{ ...observations[0], observedAt: 'soon' }]],
    ['an observation without paths', difference, [{ observedAt: '2026-03-01T00:00:00.000Z' }]],
  ])('with %s is refused', (_, oneDifference, someObservations) => {
    const stored = { difference: oneDifference, observations: someObservations, notes: [], held: false };
    expect(() => parseSuspicion(stored)).toThrow(UnreadableRecordError);
  });
});
