/** What the next observation must read so that it can say something about what is suspected. */
import type { ReleaseState } from '../catalogue.js';
import { type AvailabilityDifference, catalogueAvailability } from '../change/catalogue-availability.js';
import { CHANGE_TYPES, isFieldChange } from '../change/change-types.js';
import { type Difference, replacementId } from '../change/difference.js';
import { knownMarkets, marketSet, movedMarkets } from '../comparison/market-comparison.js';

export interface FollowUpReading {
  /** Releases to read by themselves: label, UPC, tracks. */
  readonly deepReleaseIds: readonly string[];
  /** Releases of which each track is to be read as well: all credits, and markets. */
  readonly fullReleaseIds: readonly string[];
}

export interface ReadArtist {
  /** As they are held to be. */
  readonly releases: readonly ReleaseState[];
  /** The list of releases names the markets of each: a closer reading is needed for the second path alone. */
  readonly listsMarkets: boolean;
}

export function followUpReading(
  suspected: readonly Difference[],
  { releases, listsMarkets }: ReadArtist,
): FollowUpReading {
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
      // An added release is read deep, so that it can be known as the replacement of one that is missing.
      case 'release_added':
      case 'release_restored':
        deep.add(entityId);
        break;
      case 'availability_reduced':
      case 'availability_expanded':
        for (const id of ofWhichMarketsAreAsked(difference as AvailabilityDifference, releases)) {
          if (!listsMarkets) full.add(id);
          // A loss is to be seen by two paths: in the list, and in the release by itself.
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

/** Where one release lost or gained a country, a few others say whether the whole catalogue did. */
const OTHERS_ASKED = 4;

/** That release and a few others that it may have happened to, or all of those when it happened to many. */
function ofWhichMarketsAreAsked(difference: AvailabilityDifference, known: readonly ReleaseState[]): readonly string[] {
  const whole = catalogueAvailability(difference);
  const isGain = difference.type === 'availability_expanded';
  const moved = whole?.markets ?? movedMarkets(difference);
  const concerned = known.filter((release) => {
    const markets = knownMarkets(release);
    if (markets === undefined) return false;
    const present = marketSet(markets);
    return moved.every((market) => present.has(market) !== isGain);
  });
  const ids = concerned.map(({ platformId }) => platformId);
  if (whole !== null) return ids;
  const { entityId } = difference;
  return [entityId, ...ids.filter((id) => id !== entityId).slice(0, OTHERS_ASKED)];
}
