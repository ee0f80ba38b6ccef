/**
 * Availability that changes for many releases of an artist at once, for example because a platform starts or stops its
 * service in a country. It is reported as one change of the artist instead of one per release.
 */
import { JsonReader } from '../detection/json-reader.js';
import { SEVERITIES, type Severity, severityRank } from './change-types.js';
import { type Difference, type JsonValue, makeDifference } from './difference.js';

export interface AffectedRelease {
  readonly platformId: string;
  readonly title: string;
  /** Severity of the change for this release alone. */
  readonly severity: Severity;
}

/** Such a change as one observation shows it. */
export interface CatalogueAvailability {
  /** The countries that each release lost or gained, sorted. */
  readonly markets: readonly string[];
  /** Releases for which this observation shows the change. */
  readonly releases: readonly AffectedRelease[];
  /** Releases from an earlier observation whose markets this one does not know. */
  readonly unseen: readonly AffectedRelease[];
  /** Ids of releases from an earlier observation for which this one contradicts the change. */
  readonly back: readonly string[];
  /** Total number of the artist's releases. */
  readonly of: number;
}

export type AvailabilityType = 'availability_reduced' | 'availability_expanded';

export type AvailabilityDifference = Difference & { readonly type: AvailabilityType };

export function isAvailability(difference: Difference): difference is AvailabilityDifference {
  return difference.type === 'availability_reduced' || difference.type === 'availability_expanded';
}

/**
 * Creates the artist's difference. Its key depends only on the countries, so observations agree even if they know the
 * markets of different releases.
 */
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

/** Returns null if the difference is about a single release or about something else. */
export function catalogueAvailability(difference: Difference): CatalogueAvailability | null {
  return isAvailability(difference) && difference.entityType === 'artist' ? parseAvailability(difference.after) : null;
}

/**
 * @param seen the `after` of such a difference, or the `seen` of one of its observations.
 * @throws {UnreadableRecordError}
 */
export function parseAvailability(seen: JsonValue): CatalogueAvailability {
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

/** Limits a change to some of its releases. */
export function narrowToReleases(difference: Difference, isIn: (release: AffectedRelease) => boolean): Difference {
  const whole = catalogueAvailability(difference);
  if (whole === null || !isAvailability(difference)) return difference;
  const releases = [...whole.releases, ...whole.unseen].filter(isIn);
  const artist = { platformId: difference.entityId, name: difference.entityName };
  return availabilityOfArtist(difference.type, artist, { ...whole, releases, unseen: [], back: [] });
}
