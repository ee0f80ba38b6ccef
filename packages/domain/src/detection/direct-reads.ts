/** The second path of rule `absence`: what the platform answers when it is asked for the very thing that is missing. */
import type { Observation, ReleaseState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import type { DetectedChangeType } from '../change/change-types.js';
import type { Difference } from '../change/difference.js';
import { knownMarkets, lostMarkets, marketSet } from '../comparison/market-comparison.js';
import type { DirectRead } from './suspicion-note.js';

/** The platform's answers about releases and tracks, by their ids; it was not asked for others. */
export interface DirectAnswers {
  readonly releases: ReadonlyMap<string, DirectRead>;
  readonly tracks: ReadonlyMap<string, DirectRead>;
}

export const NOTHING_ASKED: DirectAnswers = { releases: new Map(), tracks: new Map() };

/** The ids that the platform is to be asked for. An observation that finds the artist gone has asked three times already. */
export function missingIds(differences: readonly Difference[]) {
  const idsOf = (...types: DetectedChangeType[]) =>
    new Set(differences.flatMap(({ type, entityId }) => (types.includes(type) ? [entityId] : [])));
  return { releases: idsOf('release_removed', 'release_replaced'), tracks: idsOf('track_removed') };
}

/**
 * The answer about each difference, by key; those about which nothing was asked are left out.
 *
 * @param observation that shows the differences.
 */
export function directReadsOf(
  differences: readonly Difference[],
  observation: Observation,
  answers: DirectAnswers,
): ReadonlyMap<string, DirectRead> {
  const reads = new Map<string, DirectRead>();
  for (const difference of differences) {
    const read = directReadOf(difference, observation, answers);
    if (read !== undefined) reads.set(difference.key, read);
  }
  return reads;
}

function directReadOf(
  difference: Difference,
  observation: Observation,
  { releases, tracks }: DirectAnswers,
): DirectRead | undefined {
  switch (difference.type) {
    case 'release_removed':
    case 'release_replaced':
      return releases.get(difference.entityId);
    case 'track_removed':
      return tracks.get(difference.entityId);
    case 'availability_reduced':
      // Markets are known only from a reading of the release by itself, which this one was.
      return observation.kind === 'complete' ? directReadOfMarkets(difference, observation.state.releases) : undefined;
    default:
      return undefined;
  }
}

/**
 * The second path for `availability_reduced`: whether the lost markets are missing from a reading of the release alone.
 * `alive` when any of them is there.
 *
 * @param releases as they were read.
 */
export function directReadOfMarkets(difference: Difference, releases: readonly ReleaseState[]): DirectRead {
  const whole = catalogueAvailability(difference);
  const lost = whole?.markets ?? lostMarkets(difference);
  const ids = whole?.releases.map(({ platformId }) => platformId) ?? [difference.entityId];
  const reads = ids.map((id) =>
    withoutMarkets(
      lost,
      releases.find(({ platformId }) => platformId === id),
    ),
  );
  return reads.find((read) => read !== 'gone') ?? 'gone';
}

function withoutMarkets(lost: readonly string[], release: ReleaseState | undefined): DirectRead {
  const markets = release && knownMarkets(release);
  if (markets === undefined) return 'unknown';
  const present = marketSet(markets);
  return lost.some((market) => present.has(market)) ? 'alive' : 'gone';
}
