import type { Observation } from '../catalogue.js';
import { type Difference, inKeyOrder, isReplacement, replacementId } from '../change/difference.js';
import { differencesOf } from '../comparison/snapshot-comparison.js';
import type { BaselineState } from './baseline.js';
import { type FollowersOfDay, followersTrend } from './followers-trend.js';
import { gatherAvailability } from './gather-availability.js';
import type { Suspicion } from './suspicion.js';
import { markUnsteady } from './unsteady.js';

export interface SearchInput {
  readonly baseline: BaselineState;
  readonly observation: Observation;
  /** The open suspicions of this artist. */
  readonly suspicions: readonly Suspicion[];
  /** One value a UTC day; empty where followers are not to be judged. */
  readonly followersHistory: readonly FollowersOfDay[];
}

/** Everything in which an observation differs from what is held to be true, in the order of the keys. */
export function findDifferences(input: SearchInput): Difference[] {
  const { baseline, observation, suspicions } = input;
  const upheld = upholdReplacements(differencesOf(baseline, observation), suspicions);
  if (observation.kind !== 'complete') return upheld;
  const found = gatherAvailability(upheld, { baseline, suspicions, seen: observation.state });
  const trend = followersTrend({
    artist: baseline.artist,
    history: input.followersHistory,
    followers: observation.state.artist.followers,
    observedAt: observation.observedAt,
    confirmed: baseline.followersTrend,
  });
  const all = trend === null ? found : inKeyOrder([...found, trend]);
  return markUnsteady(all, baseline.turns, observation.observedAt);
}

/**
 * That two ids are one release, or one track, is known from a UPC or ISRCs that not every observation reads. Once it was
 * seen, the one missing and the other present is the same replacement again, not a removal and an addition.
 */
function upholdReplacements(found: readonly Difference[], suspicions: readonly Suspicion[]): Difference[] {
  let upheld = [...found];
  for (const { key, difference } of suspicions) {
    if (!isReplacement(difference) || upheld.some((one) => one.key === key)) continue;
    const pair = upheld.filter((one) => isPartOf(one, difference));
    if (pair.length === 2) upheld = [...upheld.filter((one) => !pair.includes(one)), difference];
  }
  return inKeyOrder(upheld);
}

function isPartOf({ type, entityId, entityType, releaseId }: Difference, replacement: Difference): boolean {
  if (entityType !== replacement.entityType || releaseId !== replacement.releaseId) return false;
  switch (type) {
    case 'release_removed':
    case 'track_removed':
      return entityId === replacement.entityId;
    case 'release_added':
    case 'release_restored':
    case 'track_added':
      return entityId === replacementId(replacement);
    default:
      return false;
  }
}
