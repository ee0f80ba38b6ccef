/**
 * Availability that changes for many releases of an artist at once, as when a platform opens or closes in a country: one
 * change of the artist in place of one for each release.
 */
import { JsonReader } from '../detection/json-reading.js';
import { SEVERITIES, type Severity, severityRank } from './change-types.js';
import { type Difference, type JsonValue, makeDifference } from './difference.js';

export interface AffectedRelease {
  readonly platformId: string;
  readonly title: string;
  /** The severity that the change would have by itself. */
  readonly severity: Severity;
}

/** What an observation shows of such a change. */
export interface CatalogueAvailability {
  /** The countries that each of the releases lost, or gained, sorted. */
  readonly markets: readonly string[];
  /** The releases of which this observation shows it. */
  readonly releases: readonly AffectedRelease[];
  /** Those of which an earlier one showed it, and of which this one does not know the markets. */
  readonly unseen: readonly AffectedRelease[];
  /** The ids of those of which an earlier one showed it, and this one shows that it is not so. */
  readonly back: readonly string[];
  /** How many releases the artist has. */
  readonly of: number;
}

export type AvailabilityType = 'availability_reduced' | 'availability_expanded';

export type AvailabilityDifference = Difference & { readonly type: AvailabilityType };

export function isAvailability(difference: Difference): difference is AvailabilityDifference {
  return difference.type === 'availability_reduced' || difference.type === 'availability_expanded';
}

/** The key depends on the countries alone: observations agree although each of them knows the markets of other releases. */
export function availabilityOfArtist(
  type: AvailabilityType,
  artist: { readonly platformId: string; readonly name: string | undefined },
  { markets, releases, unseen, back, of }: CatalogueAvailability,
): Difference {
  const [highest] = [...releases, ...unseen]
    .map(({ severity }) => severity)
    .sort((a, b) => severityRank(a) - severityRank(b));
  return makeDifference({
    type,
    entityType: 'artist',
    entityId: artist.platformId,
    entityName: artist.name,
    became: `catalogue ${markets.join(' ')}`,
    after: { markets, releases: releases.map(toJson), unseen: unseen.map(toJson), back, of },
    ...(highest && { severity: highest }),
  });
}

function toJson({ platformId, title, severity }: AffectedRelease): JsonValue {
  return { platformId, title, severity };
}

/** Null for a difference that is about one release, or about something else. */
export function catalogueAvailability(difference: Difference): CatalogueAvailability | null {
  return isAvailability(difference) && difference.entityType === 'artist' ? seenAvailability(difference.after) : null;
}

/**
 * @param seen the `after` of such a difference, which is also what an observation of it has as seen.
 * @throws {UnreadableRecordError}
 */
export function seenAvailability(seen: JsonValue): CatalogueAvailability {
  const reader = new JsonReader(seen, 'seen');
  return {
    markets: reader.at('markets').list((market) => market.text()),
    releases: reader.at('releases').list(readRelease),
    unseen: reader.at('unseen').list(readRelease),
    back: reader.at('back').list((id) => id.text()),
    of: reader.at('of').number(),
  };
}

function readRelease(reader: JsonReader): AffectedRelease {
  return {
    platformId: reader.at('platformId').text(),
    title: reader.at('title').text(),
    severity: reader.at('severity').oneOf(SEVERITIES),
  };
}

/** The same change of some of its releases. */
export function narrowedTo(difference: Difference, isIn: (release: AffectedRelease) => boolean): Difference {
  const whole = catalogueAvailability(difference);
  if (whole === null || !isAvailability(difference)) return difference;
  const releases = [...whole.releases, ...whole.unseen].filter(isIn);
  const artist = { platformId: difference.entityId, name: difference.entityName };
  return availabilityOfArtist(difference.type, artist, { ...whole, releases, unseen: [], back: [] });
}
