/**
 * Differences that an operator has dismissed while they stood. They are not suspected again for as long as they stand:
 * the next reading shows them too. Once a reading looks and does not find them, they are ignored no more, and what goes
 * missing after that is news.
 */
import type { Observation } from '../catalogue.js';
import type { Difference } from '../change/difference.js';
import type { BaselineState } from './baseline.js';
import { visibilityOf } from './difference-visibility.js';

export function withoutIgnored(found: readonly Difference[], ignored: readonly Difference[]): readonly Difference[] {
  if (ignored.length === 0) return found;
  const keys = new Set(ignored.map(({ key }) => key));
  return found.filter(({ key }) => !keys.has(key));
}

/**
 * Those of the ignored that stand no longer.
 *
 * @param found what `findDifferences` gave, the ignored ones among it.
 * @param baseline after the observation was taken over into it.
 */
export function standingNoLonger<Ignored extends { readonly difference: Difference }>(
  ignored: readonly Ignored[],
  found: readonly Difference[],
  baseline: BaselineState,
  observation: Exclude<Observation, { kind: 'incomplete' }>,
): readonly Ignored[] {
  const keys = new Set(found.map(({ key }) => key));
  return ignored.filter(
    ({ difference }) => !keys.has(difference.key) && visibilityOf(difference, baseline, observation) !== 'unseen',
  );
}
