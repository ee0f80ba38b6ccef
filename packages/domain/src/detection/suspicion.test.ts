import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compare, compareObservation } from '../comparison/snapshot-comparison.js';
import { CONFIRMATION_SETTINGS, catalogue } from '../testing/catalogue-arbitrary.js';
import { firstBaseline } from './baseline.js';
import { applyConfirmed } from './baseline-update.js';
import { dismiss, isRemoval, release } from './brake.js';
import { findDifferences } from './difference-search.js';
import { endedIgnores, excludeIgnored } from './difference-visibility.js';
import { UnreadableRecordError } from './json-reader.js';
import { isReleased, parseSuspicion, type Suspicion, type SuspicionObservation } from './suspicion.js';
import { DIRECT_READS, type SuspicionNote } from './suspicion-note.js';

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

describe('stored suspicions', () => {
  test('a suspicion can be restored from JSON', () => {
    fc.assert(
      fc.property(
        fc.tuple(catalogue, catalogue),
        fc.array(observation, { minLength: 1 }),
        fc.array(note),
        fc.boolean(),
        ([a, b], observations, notes, held) => {
          for (const difference of compare(a, b)) {
            const stored = JSON.parse(JSON.stringify({ difference, observations, notes, held }));
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

  test('a suspicion can be read from its columns, even if an older version wrote them', () => {
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
    ['an observation with an invalid time', difference, [{ ...observations[0], observedAt: 'soon' }]],
    ['an observation without paths', difference, [{ observedAt: '2026-03-01T00:00:00.000Z' }]],
  ])('a stored suspicion with %s is rejected', (_, oneDifference, someObservations) => {
    const stored = { difference: oneDifference, observations: someObservations, notes: [], held: false };
    expect(() => parseSuspicion(stored)).toThrow(UnreadableRecordError);
  });
});

const MINUTE_MS = 60_000;
const atMinute = (minutes: number) => new Date(Date.UTC(2026, 2, 1) + minutes * MINUTE_MS);

const removals = fc
  .record({
    states: fc.tuple(catalogue, catalogue),
    gone: fc.boolean(),
    steps: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 6 }),
  })
  .map(({ states: [before, after], gone, steps }) => {
    const baseline = firstBaseline(before);
    const observation = gone
      ? ({ kind: 'artist_gone', observedAt: atMinute(0) } as const)
      : ({ kind: 'complete', observedAt: atMinute(0), state: after } as const);
    let minute = 0;
    const later = steps.map((step) => {
      minute += step;
      return seenAt(minute);
    });
    const suspicions = compareObservation(baseline, observation)
      .filter(isRemoval)
      .map((difference): Suspicion => {
        const observations = [seenAt(0), ...later] as const;
        return { key: difference.key, difference, observations, held: true, notes: [] };
      });
    return { baseline, after, suspicions, count: later.length + 1, spanMinutes: minute };
  });

function seenAt(minute: number) {
  const paths = { listMissing: true, directRead: 'gone' } as const;
  return { observedAt: atMinute(minute), paths, seen: null, snapshotId: null };
}

const decision = (minute: number) => ({ at: atMinute(minute), by: 'Ada', reason: null });

describe('a removal on hold', () => {
  test('a removal released by an operator is confirmed if the `absence` rule is satisfied, and remains suspected otherwise', () => {
    fc.assert(
      fc.property(removals, ({ suspicions, count, spanMinutes }) => {
        for (const held of suspicions) {
          const released = release(held, decision(500), CONFIRMATION_SETTINGS);
          expect(released.kind).toBe(count >= 3 && spanMinutes >= 30 ? 'confirmed' : 'suspected');
          expect(released.suspicion.held).toBe(false);
          expect(isReleased(released.suspicion)).toBe(true);
          expect(released.suspicion.observations).toBe(held.observations);
          if (released.kind === 'confirmed')
            expect(released).toMatchObject({ detectedAt: atMinute(0), confirmedAt: atMinute(500) });
        }
      }),
      { numRuns: 200 },
    );
  });

  test("a removal is never confirmed at a time before its last observation, even if the operator's clock is wrong", () => {
    fc.assert(
      fc.property(removals, ({ suspicions, spanMinutes }) => {
        for (const held of suspicions) {
          const released = release(held, decision(-500), CONFIRMATION_SETTINGS);
          if (released.kind === 'confirmed') expect(released.confirmedAt).toEqual(atMinute(spanMinutes));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a removal on hold can be applied to the baseline without another observation, and is not reported again', () => {
    fc.assert(
      fc.property(removals, ({ baseline, after, suspicions }) => {
        const removed = suspicions.map(({ difference }) => difference);
        const updated = removed.reduce((known, difference) => applyConfirmed(known, difference, null), baseline);
        const found = findDifferences({
          baseline: updated,
          observation: { kind: 'complete', observedAt: atMinute(600), state: after },
          suspicions: [],
          followersHistory: [],
        });
        const keys = found.map(({ key }) => key);
        for (const { key } of removed) expect(keys).not.toContain(key);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a dismissed removal', () => {
  test('a dismissed removal is ignored until an observation proves that the release or track is not missing', () => {
    fc.assert(
      fc.property(removals, catalogue, ({ baseline, suspicions }, next) => {
        const ignored = suspicions.map((held) => dismiss(held, decision(1)));
        const observation = { kind: 'complete', observedAt: atMinute(2), state: next } as const;
        const found = compareObservation(baseline, observation);
        const left = excludeIgnored(found, ignored);
        const ended = new Set(endedIgnores(ignored, found, baseline, observation).map(({ key }) => key));
        const shown = new Set(found.map(({ key }) => key));
        for (const { key, difference } of ignored) {
          expect(left.map((one) => one.key)).not.toContain(key);
          if (shown.has(key)) expect(ended.has(key)).toBe(false);
          const isListed = next.releases.some(({ platformId }) => platformId === difference.entityId);
          if (difference.type === 'release_removed' && isListed) expect(ended.has(key)).toBe(true);
          if (difference.type === 'artist_removed') expect(ended.has(key)).toBe(true);
        }
        expect(left.length + [...shown].filter((key) => ignored.some((one) => one.key === key)).length).toBe(
          found.length,
        );
      }),
      { numRuns: 200 },
    );
  });

  test('a dismissed removal stays ignored while the artist itself is missing', () => {
    fc.assert(
      fc.property(removals, ({ baseline, suspicions }) => {
        const ignored = suspicions.filter(({ difference }) => difference.type !== 'artist_removed');
        const observation = { kind: 'artist_gone', observedAt: atMinute(2) } as const;
        expect(endedIgnores(ignored, compareObservation(baseline, observation), baseline, observation)).toEqual([]);
      }),
    );
  });
});
