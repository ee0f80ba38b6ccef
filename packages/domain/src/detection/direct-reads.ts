/** Under rule `absence`, the missing entity is also requested by its id. */
import type { CatalogueState, Credit, Observation, ReleaseState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import type { DetectedChangeType } from '../change/change-types.js';
import { type Difference, makeDifference, replacementId } from '../change/difference.js';
import { knownMarkets, lostMarkets, marketSet } from '../comparison/market-comparison.js';
import { CREDITS } from '../comparison/value-identity.js';
import type { DirectRead } from './suspicion-note.js';

/** `relinkedTo`: the platform returned a different id. `movedTo`: the release is credited only to these artists. */
export type DirectAnswer = DirectRead | { readonly relinkedTo: string } | { readonly movedTo: readonly Credit[] };

/** Ids without an entry have not been requested. */
export interface DirectAnswers {
  readonly release: ReadonlyMap<string, DirectAnswer>;
  readonly track: ReadonlyMap<string, DirectAnswer>;
}

/** `relinked`: the id returns a different release, so requesting it again would not help. */
export type DifferenceRead = DirectRead | 'relinked';

export const NO_DIRECT_READS: DirectAnswers = { release: new Map(), track: new Map() };

/** Observations of a missing artist already include direct reads. */
const MISSING: Partial<Readonly<Record<DetectedChangeType, keyof DirectAnswers>>> = {
  release_removed: 'release',
  release_replaced: 'release',
  release_moved: 'release',
  track_removed: 'track',
};

export function missingIds(differences: readonly Difference[]) {
  const missing = { release: new Set<string>(), track: new Set<string>() };
  for (const { type, entityId } of differences) {
    const kind = MISSING[type];
    if (kind !== undefined) missing[kind].add(entityId);
  }
  return missing;
}

/**
 * Returns results by difference key.
 * @param observation the observation that showed these differences
 */
export function matchDirectReads(
  differences: readonly Difference[],
  observation: Observation,
  answers: DirectAnswers,
): ReadonlyMap<string, DifferenceRead> {
  const reads = new Map<string, DifferenceRead>();
  for (const difference of differences) {
    const { key, type, entityId } = difference;
    const kind = MISSING[type];
    const answer = kind && answers[kind].get(entityId);
    if (typeof answer === 'string') reads.set(key, answer);
    // If the platform returns the suspected replacement, the replaced entity counts as gone.
    else if (answer && 'movedTo' in answer) reads.set(key, type === 'release_moved' ? 'moved' : 'alive');
    else if (answer) reads.set(key, isReplacedBy(difference, answer.relinkedTo) ? 'gone' : 'relinked');
    // For markets, the detailed read replaces the direct read.
    if (type === 'availability_reduced' && observation.kind === 'complete') {
      reads.set(key, directReadOfMarkets(difference, observation.state.releases));
    }
  }
  return reads;
}

/** A release that is now credited only to other artists counts as moved. */
export function detectMoves(
  differences: readonly Difference[],
  { artist }: CatalogueState,
  suspicions: readonly { readonly difference: Difference }[],
  { release: answers }: DirectAnswers,
): readonly Difference[] {
  return differences.map((difference) => {
    const { type, entityId, entityName } = difference;
    if (type !== 'release_removed') return difference;
    const answer = answers.get(entityId) ?? 'not_asked';
    const suspected = suspicions.find(
      (one) => one.difference.type === 'release_moved' && one.difference.entityId === entityId,
    );
    if (answer === 'unknown' || answer === 'not_asked') return suspected?.difference ?? difference;
    if (typeof answer === 'string' || !('movedTo' in answer)) return difference;
    const credits = ({ platformId, name }: Credit) => ({ platformId: platformId ?? null, name });
    return makeDifference({
      type: 'release_moved',
      entityId,
      entityName,
      before: [credits({ platformId: artist.platformId, name: artist.name ?? artist.platformId })],
      after: answer.movedTo.map(credits),
      became: CREDITS.canonical(answer.movedTo),
    });
  });
}

function isReplacedBy(difference: Difference, id: string): boolean {
  return difference.type === 'release_replaced' && replacementId(difference) === id;
}

/**
 * Uses detailed reads to check whether markets were really lost. The result `alive` means that a release is still
 * available in at least one of the markets that it seemed to have lost.
 * @param releases the releases that the observation has read
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
