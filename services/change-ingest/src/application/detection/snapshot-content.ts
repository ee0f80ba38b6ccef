import type { Observation } from '@artist-watch/domain/catalogue';
import type { BaselineState } from '@artist-watch/domain/detection/baseline';
import type { Advance } from '@artist-watch/domain/detection/confirmation';
import type { SnapshotContent } from './settlement.js';

/**
 * What is kept of a compared observation: nothing when it has no bearing on a suspicion, and teaches nothing.
 *
 * @param baseline before the observation.
 */
export function bearingContent(
  baseline: BaselineState,
  step: Advance,
  observation: Exclude<Observation, { kind: 'incomplete' }>,
): SnapshotContent | null {
  const { opened, strengthened, noted, confirmed, dismissed } = step;
  const bears = [opened, strengthened, noted, confirmed, dismissed].some((suspicions) => suspicions.length > 0);
  if (!bears && step.baseline === baseline) return null;
  return observation.kind === 'complete'
    ? { kind: 'catalogue', catalogue: observation.state }
    : { kind: 'artist_gone' };
}
