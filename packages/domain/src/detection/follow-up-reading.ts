/** What the next observation must read so that it can say something about what is suspected. */
import type { ReleaseState } from '../catalogue.js';
import { type Difference, replacementId } from '../change/difference.js';
import { knownMarkets, lostMarkets, marketSet } from '../comparison/market-comparison.js';
import type { DirectRead } from './suspicion-note.js';

export interface FollowUpReading {
  /** Releases to read by themselves: label, UPC, tracks. */
  readonly deepReleaseIds: readonly string[];
  /** Releases of which each track is to be read as well: all credits, and markets. */
  readonly fullReleaseIds: readonly string[];
}

export function followUpReading(suspected: readonly Difference[]): FollowUpReading {
  const deep = new Set<string>();
  const full = new Set<string>();
  for (const difference of suspected) {
    switch (difference.type) {
      case 'artist_removed':
      case 'artist_restored':
      case 'artist_name_changed':
      case 'artist_image_changed':
      case 'followers_spike':
      case 'followers_drop':
      case 'release_removed':
        break;
      case 'release_replaced':
        deep.add(replacementId(difference));
        break;
      // An added release is read deep, so that it can be known as the replacement of one that is missing.
      case 'release_added':
      case 'release_restored':
      case 'release_title_changed':
      case 'release_date_changed':
      case 'artwork_changed':
      case 'label_changed':
      case 'upc_changed':
        deep.add(difference.entityId);
        break;
      case 'availability_reduced':
      case 'availability_expanded':
        full.add(difference.entityId);
        break;
      case 'track_added':
      case 'track_removed':
      case 'track_replaced':
      case 'track_title_changed':
      case 'isrc_changed':
      case 'explicit_flag_changed':
        if (difference.releaseId !== null) deep.add(difference.releaseId);
        break;
      case 'credits_changed':
        if (difference.releaseId !== null) full.add(difference.releaseId);
        break;
    }
  }
  return { deepReleaseIds: [...deep].filter((id) => !full.has(id)).sort(), fullReleaseIds: [...full].sort() };
}

/**
 * The second path for `availability_reduced`: whether the lost markets are missing from a reading of that release alone.
 * `alive` when any of them is there.
 */
export function directReadOfMarkets(difference: Difference, release: ReleaseState | undefined): DirectRead {
  const markets = release && knownMarkets(release);
  if (markets === undefined) return 'unknown';
  const present = marketSet(markets);
  return lostMarkets(difference).some((market) => present.has(market)) ? 'alive' : 'gone';
}
