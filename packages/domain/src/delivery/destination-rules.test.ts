import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SEVERITIES, type Severity } from '../change/change-types.js';
import { type DestinationRules, LET_ALL_THROUGH, letsThrough } from './destination-rules.js';

const CHANGE = { type: 'label_changed', severity: 'warning', artistId: 'art_1' } as const;

function rules(changed: Partial<DestinationRules>): DestinationRules {
  return { ...LET_ALL_THROUGH, ...changed };
}

describe('letsThrough', () => {
  test.each<[Severity | null, Severity, boolean]>([
    [null, 'info', true],
    ['info', 'info', true],
    ['info', 'critical', true],
    ['warning', 'info', false],
    ['warning', 'warning', true],
    ['warning', 'critical', true],
    ['critical', 'info', false],
    ['critical', 'warning', false],
    ['critical', 'critical', true],
  ])('min_severity %p, severity %s: %p', (minSeverity, severity, passes) => {
    expect(letsThrough(rules({ minSeverity }), { ...CHANGE, severity })).toBe(passes);
  });

  test.each<[string, Partial<DestinationRules>, boolean]>([
    ['no rule', {}, true],
    ['its type', { changeTypes: ['label_changed'] }, true],
    ['one of the types', { changeTypes: ['upc_changed', 'label_changed'] }, true],
    ['another type', { changeTypes: ['upc_changed'] }, false],
    ['its artist', { artistIds: ['art_1'] }, true],
    ['another artist', { artistIds: ['art_2'] }, false],
    ['its type, another artist', { changeTypes: ['label_changed'], artistIds: ['art_2'] }, false],
    ['its artist, too mild', { artistIds: ['art_1'], minSeverity: 'critical' }, false],
  ])('%s', (_, changed, passes) => {
    expect(letsThrough(rules(changed), CHANGE)).toBe(passes);
  });

  test('a type that our own detector does not know is ruled like any other', () => {
    const change = { ...CHANGE, type: 'lyrics_changed' };
    expect(letsThrough(rules({ changeTypes: ['lyrics_changed'] }), change)).toBe(true);
    expect(letsThrough(rules({ changeTypes: ['label_changed'] }), change)).toBe(false);
  });

  test('a change passes all rules together exactly when it passes each of them alone', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const severity = fc.constantFrom(...SEVERITIES);
    const some = fc.record({
      minSeverity: fc.option(severity),
      changeTypes: fc.array(word, { maxLength: 3 }),
      artistIds: fc.array(word, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(some, fc.record({ type: word, severity, artistId: word }), (all, change) => {
        const alone = [
          rules({ minSeverity: all.minSeverity }),
          rules({ changeTypes: all.changeTypes }),
          rules({ artistIds: all.artistIds }),
        ];
        expect(letsThrough(all, change)).toBe(alone.every((rule) => letsThrough(rule, change)));
      }),
    );
  });

  test('adding a value to a rule that is not empty never shuts a change out', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), word, word, (changeTypes, added, type) => {
        const change = { ...CHANGE, type };
        if (letsThrough(rules({ changeTypes }), change)) {
          expect(letsThrough(rules({ changeTypes: [...changeTypes, added] }), change)).toBe(true);
        }
      }),
    );
  });
});
