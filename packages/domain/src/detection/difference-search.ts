import type { Observation } from '../catalogue.js';
import { type Difference, isReplacement, replacementId, sortByKey } from '../change/difference.js';
import { compareObservation } from '../comparison/snapshot-comparison.js';
import type { BaselineState } from './baseline.js';
import { type FollowersOfDay, followersTrend } from './followers-trend.js';
import { gatherAvailability } from './gather-availability.js';
import type { Suspicion } from './suspicion.js';
import { markUnsteady } from './unsteady.js';

export interface SearchInput {
  readonly baseline: BaselineState;
  readonly observation: Observation;
  readonly suspicions: readonly Suspicion[];
  /** One value per UTC day. If the list is empty, followers are not compared. */
  readonly followersHistory: readonly FollowersOfDay[];
}

/** Sorted by key. */
export function findDifferences(input: SearchInput): Difference[] {
  const { baseline, observation, suspicions } = input;
  const upheld = upholdReplacements(compareObservation(baseline, observation), suspicions);
  if (observation.kind !== 'complete') return upheld;
  const found = gatherAvailability(upheld, { baseline, suspicions, seen: observation.state });
  const trend = followersTrend({
    artist: baseline.artist,
    history: input.followersHistory,
    followers: observation.state.artist.followers,
    observedAt: observation.observedAt,
    confirmed: baseline.followersTrend,
  });
  const all = trend === null ? found : sortByKey([...found, trend]);
  return markUnsteady(all, baseline.turns, observation.observedAt);
}

/** Keeps a suspected replacement while the ids agree, because not every observation reads the UPC or ISRCs. */
function upholdReplacements(found: readonly Difference[], suspicions: readonly Suspicion[]): Difference[] {
  let upheld = [...found];
  for (const { key, difference } of suspicions) {
    if (!isReplacement(difference) || upheld.some((one) => one.key === key)) continue;
    const pair = upheld.filter((one) => isPartOf(one, difference));
    if (pair.length === 2) upheld = [...upheld.filter((one) => !pair.includes(one)), difference];
  }
  return sortByKey(upheld);
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
