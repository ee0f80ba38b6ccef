import type { CatalogueState } from '../catalogue.js';
import {
  type AffectedRelease,
  type AvailabilityDifference,
  availabilityOfArtist,
  catalogueAvailability,
  isAvailability,
} from '../change/catalogue-availability.js';
import { type Difference, inKeyOrder } from '../change/difference.js';
import {
  knownMarkets,
  lossSeverity,
  marketCount,
  movedMarkets,
  withoutMoved,
} from '../comparison/market-comparison.js';
import type { BaselineState } from './baseline.js';
import type { Suspicion } from './suspicion.js';

/** So many releases that lose, or gain, the same countries in one reading are one change of the artist. */
export const MANY_RELEASES = 3;

interface Context {
  readonly baseline: BaselineState;
  readonly suspicions: readonly Suspicion[];
  readonly seen: CatalogueState;
}

/**
 * Puts one difference of the artist in the place of those of many releases that lost, or gained, the same countries.
 * What one of them lost besides stays a difference of its own. While a change of the artist is suspected, more releases
 * join it, and those whose markets a reading does not know stay with it; when fewer than many are left, each is judged
 * by itself.
 */
export function gatherAvailability(found: readonly Difference[], context: Context): readonly Difference[] {
  let single: readonly AvailabilityDifference[] = found.filter(isAvailability);
  const ofArtist: Difference[] = [];
  for (;;) {
    const whole = candidates(single, context)[0];
    if (whole === undefined) break;
    ofArtist.push(whole.difference);
    single = single.flatMap((one) => (whole.members.includes(one) ? withoutMoved(one, whole.markets) : one));
  }
  if (ofArtist.length === 0) return found;
  return inKeyOrder([...found.filter((one) => !isAvailability(one)), ...ofArtist, ...single]);
}

interface Candidate {
  readonly markets: readonly string[];
  readonly members: readonly AvailabilityDifference[];
  readonly difference: Difference;
  readonly isOpen: boolean;
}

/** Whatever could be one change of the artist: what is suspected already first, then what touches the most releases. */
function candidates(single: readonly AvailabilityDifference[], context: Context): readonly Candidate[] {
  const distinct = new Map(single.map((one) => [`${one.type} ${movedMarkets(one).join(' ')}`, one]));
  return [...distinct.values()]
    .flatMap((one) => candidate(one, single, context) ?? [])
    .sort(
      (a, b) =>
        Number(b.isOpen) - Number(a.isOpen) ||
        b.members.length - a.members.length ||
        b.markets.length - a.markets.length,
    );
}

/** Undefined when they are not many. */
function candidate(
  { type, ...one }: AvailabilityDifference,
  single: readonly AvailabilityDifference[],
  { baseline, suspicions, seen }: Context,
): Candidate | undefined {
  const markets = movedMarkets({ type, ...one });
  const members = single.filter((other) => {
    if (other.type !== type) return false;
    const moved = new Set(movedMarkets(other));
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
  // One that is missing from the list is for the removal of a release.
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
