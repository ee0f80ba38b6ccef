/** Plans the reads that confirm or contradict suspected changes. */
import type { ReleaseState } from '../catalogue.js';
import { type AvailabilityDifference, catalogueAvailability } from '../change/catalogue-availability.js';
import { CHANGE_TYPES, isFieldChange } from '../change/change-types.js';
import { type Difference, replacementId } from '../change/difference.js';
import { changedMarkets, knownMarkets, marketSet } from '../comparison/market-comparison.js';

export interface FollowUpPlan {
  /** Releases that need a detailed read. */
  readonly deepReleaseIds: readonly string[];
  /** Releases whose tracks must also be read one by one. */
  readonly fullReleaseIds: readonly string[];
}

export interface ReadArtist {
  readonly releases: readonly ReleaseState[];
  /** True if the platform's release list includes markets. */
  readonly listsMarkets: boolean;
}

export function planFollowUp(suspected: readonly Difference[], { releases, listsMarkets }: ReadArtist): FollowUpPlan {
  const deep = new Set<string>();
  const full = new Set<string>();
  for (const difference of suspected) {
    const { type, entityType, entityId, releaseId } = difference;
    const ofRelease = entityType === 'track' ? releaseId : entityId;
    if (isFieldChange(type)) {
      const { field } = CHANGE_TYPES[type];
      if (field !== 'artist' && ofRelease !== null) (field === 'track' ? full : deep).add(ofRelease);
      continue;
    }
    switch (type) {
      case 'artist_removed':
      case 'artist_merged':
      case 'artist_restored':
      case 'followers_spike':
      case 'followers_drop':
      case 'release_removed':
      case 'release_moved':
        break;
      case 'release_replaced':
        deep.add(replacementId(difference));
        break;
      // The detailed read shows whether an added release replaces a missing one.
      case 'release_added':
      case 'release_restored':
        deep.add(entityId);
        break;
      case 'availability_reduced':
      case 'availability_expanded':
        for (const id of releasesToCheck(difference as AvailabilityDifference, releases)) {
          if (!listsMarkets) full.add(id);
          // A loss of markets must be confirmed by both the release list and a detailed read.
          else if (type === 'availability_reduced') deep.add(id);
        }
        break;
      case 'track_added':
      case 'track_removed':
      case 'track_replaced':
        if (ofRelease !== null) deep.add(ofRelease);
        break;
    }
  }
  return { deepReleaseIds: [...deep].filter((id) => !full.has(id)).sort(), fullReleaseIds: [...full].sort() };
}

/** The whole catalogue may have changed, so a few other releases are checked too. */
const OTHERS_CHECKED = 4;

function releasesToCheck(difference: AvailabilityDifference, known: readonly ReleaseState[]): readonly string[] {
  const whole = catalogueAvailability(difference);
  const isGain = difference.type === 'availability_expanded';
  const moved = whole?.markets ?? changedMarkets(difference);
  const concerned = known.filter((release) => {
    const markets = knownMarkets(release);
    if (markets === undefined) return false;
    const present = marketSet(markets);
    return moved.every((market) => present.has(market) !== isGain);
  });
  const ids = concerned.map(({ platformId }) => platformId);
  if (whole !== null) return ids;
  const { entityId } = difference;
  return [entityId, ...ids.filter((id) => id !== entityId).slice(0, OTHERS_CHECKED)];
}
