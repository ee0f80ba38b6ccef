/** If many releases lose or gain the same countries at the same time, a single change is reported for the artist. */
import { JsonReader } from '../detection/json-reader.js';
import { SEVERITIES, type Severity, severityRank } from './change-types.js';
import { type Difference, type JsonValue, makeDifference } from './difference.js';

export interface AffectedRelease {
  readonly platformId: string;
  readonly title: string;
  readonly severity: Severity;
}

export interface CatalogueAvailability {
  /** The countries that each release lost or gained, sorted. */
  readonly markets: readonly string[];
  readonly releases: readonly AffectedRelease[];
  /** Releases that the change applied to earlier, but whose markets are unknown now. */
  readonly unseen: readonly AffectedRelease[];
  /** Ids of releases that the change no longer applies to. */
  readonly back: readonly string[];
  readonly of: number;
}

export type AvailabilityType = 'availability_reduced' | 'availability_expanded';

export type AvailabilityDifference = Difference & { readonly type: AvailabilityType };

export function isAvailability(difference: Difference): difference is AvailabilityDifference {
  return difference.type === 'availability_reduced' || difference.type === 'availability_expanded';
}

/** The key contains only the countries, so that observations can agree even if the affected releases differ. */
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

/** Returns null unless the difference is a change in an artist's availability. */
export function catalogueAvailability(difference: Difference): CatalogueAvailability | null {
  return isAvailability(difference) && difference.entityType === 'artist' ? parseAvailability(difference.after) : null;
}

/** @throws {UnreadableRecordError} */
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

export function narrowToReleases(difference: Difference, isIn: (release: AffectedRelease) => boolean): Difference {
  const whole = catalogueAvailability(difference);
  if (whole === null || !isAvailability(difference)) return difference;
  const releases = [...whole.releases, ...whole.unseen].filter(isIn);
  const artist = { platformId: difference.entityId, name: difference.entityName };
  return availabilityOfArtist(difference.type, artist, { ...whole, releases, unseen: [], back: [] });
}
