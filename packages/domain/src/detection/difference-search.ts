import type { CatalogueState, Observation } from '../catalogue.js';
import {
  type AffectedRelease,
  type AvailabilityDifference,
  availabilityOfArtist,
  catalogueAvailability,
  isAvailability,
} from '../change/catalogue-availability.js';
import { type Difference, isReplacement, replacementId, sortByKey } from '../change/difference.js';
import {
  changedMarkets,
  excludeMarkets,
  knownMarkets,
  lossSeverity,
  marketCount,
} from '../comparison/market-comparison.js';
import { compareObservation } from '../comparison/snapshot-comparison.js';
import { type BaselineState, markUnsteady } from './baseline.js';
import { type FollowersOfDay, followersTrend } from './followers-trend.js';
import type { Suspicion } from './suspicion.js';

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

/**
 * Keeps reporting a suspected replacement even if this observation only shows a removal and an addition. Without UPCs
 * or ISRCs, the two releases or tracks cannot be paired.
 */
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

/** Combine the changes if at least this many releases have the same market change. */
const MANY_RELEASES = 3;

interface GatherContext {
  readonly baseline: BaselineState;
  readonly suspicions: readonly Suspicion[];
  readonly seen: CatalogueState;
}

/** Combines identical market changes across many releases into a single change for the artist. */
function gatherAvailability(found: readonly Difference[], context: GatherContext): readonly Difference[] {
  let remaining: readonly AvailabilityDifference[] = found.filter(isAvailability);
  const gathered: Difference[] = [];
  for (;;) {
    const whole = candidates(remaining, context)[0];
    if (whole === undefined) break;
    gathered.push(whole.difference);
    remaining = remaining.flatMap((one) => (whole.members.includes(one) ? excludeMarkets(one, whole.markets) : one));
  }
  if (gathered.length === 0) return found;
  return sortByKey([...found.filter((one) => !isAvailability(one)), ...gathered, ...remaining]);
}

interface Candidate {
  readonly markets: readonly string[];
  readonly members: readonly AvailabilityDifference[];
  readonly difference: Difference;
  readonly isOpen: boolean;
}

function candidates(remaining: readonly AvailabilityDifference[], context: GatherContext): readonly Candidate[] {
  const distinct = new Map(remaining.map((one) => [`${one.type} ${changedMarkets(one).join(' ')}`, one]));
  return [...distinct.values()]
    .flatMap((one) => candidate(one, remaining, context) ?? [])
    .sort(
      (a, b) =>
        Number(b.isOpen) - Number(a.isOpen) ||
        b.members.length - a.members.length ||
        b.markets.length - a.markets.length,
    );
}

function candidate(
  { type, ...one }: AvailabilityDifference,
  remaining: readonly AvailabilityDifference[],
  { baseline, suspicions, seen }: GatherContext,
): Candidate | undefined {
  const markets = changedMarkets({ type, ...one });
  const members = remaining.filter((other) => {
    if (other.type !== type) return false;
    const moved = new Set(changedMarkets(other));
    return markets.every((market) => moved.has(market));
  });
  const releases = members.map(({ entityId, entityName, before, severity }) => ({
    platformId: entityId,
    title: entityName,
    severity: type === 'availability_reduced' ? lossSeverity(markets.length, marketCount(before)) : severity,
  }));
  const shape = { markets, releases, of: baseline.releases.length };
  const now = availabilityOfArtist(type, baseline.artist, { ...shape, unseen: [], back: [] });
  const open = suspicions.find(({ key }) => key === now.key);
  const marketsOf = new Map(seen.releases.map((release) => [release.platformId, knownMarkets(release)]));
  const known = new Set(baseline.releases.map(({ platformId }) => platformId));
  // A release that is missing from the list counts as removed.
  const earlier = (open ? others(open.difference, releases) : []).filter(
    ({ platformId }) => marketsOf.has(platformId) && known.has(platformId),
  );
  const unseen = earlier.filter(({ platformId }) => marketsOf.get(platformId) === undefined);
  if (releases.length + unseen.length < MANY_RELEASES) return undefined;
  const back = earlier.filter((release) => !unseen.includes(release)).map(({ platformId }) => platformId);
  const difference = availabilityOfArtist(type, baseline.artist, { ...shape, unseen, back });
  return { markets, members, difference, isOpen: open !== undefined };
}

function others(difference: Difference, now: readonly AffectedRelease[]): readonly AffectedRelease[] {
  const { releases, unseen } = catalogueAvailability(difference) ?? { releases: [], unseen: [] };
  const seenNow = new Set(now.map(({ platformId }) => platformId));
  return [...releases, ...unseen].filter(({ platformId }) => !seenNow.has(platformId));
}
