/** The second path of rule `absence`: what the platform answers when it is asked for the very thing that is missing. */
import type { CatalogueState, Credit, Observation, ReleaseState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import type { DetectedChangeType } from '../change/change-types.js';
import { type Difference, makeDifference, replacementId } from '../change/difference.js';
import { knownMarkets, lostMarkets, marketSet } from '../comparison/market-comparison.js';
import { CREDITS } from '../comparison/value-identity.js';
import type { DirectRead } from './suspicion-note.js';

/**
 * What the platform answers about one id. `relinkedTo`: it answered another id's release. `movedTo`: the release is credited
 * to these artists, and no longer to the one that is watched.
 */
export type DirectAnswer = DirectRead | { readonly relinkedTo: string } | { readonly movedTo: readonly Credit[] };

/** The platform's answers about releases and tracks, by their ids; it was not asked for others. */
export interface DirectAnswers {
  readonly release: ReadonlyMap<string, DirectAnswer>;
  readonly track: ReadonlyMap<string, DirectAnswer>;
}

/** What an answer says of a difference; `relinked`: the id leads elsewhere, and to ask again tells nothing more. */
export type ReadOfDifference = DirectRead | 'relinked';

export const NOTHING_ASKED: DirectAnswers = { release: new Map(), track: new Map() };

/** What is missing, by the type of the difference. An observation that finds the artist gone has asked three times already. */
const MISSING: Partial<Readonly<Record<DetectedChangeType, keyof DirectAnswers>>> = {
  release_removed: 'release',
  release_replaced: 'release',
  release_moved: 'release',
  track_removed: 'track',
};

/** The ids that the platform is to be asked for. */
export function missingIds(differences: readonly Difference[]) {
  const missing = { release: new Set<string>(), track: new Set<string>() };
  for (const { type, entityId } of differences) {
    const kind = MISSING[type];
    if (kind !== undefined) missing[kind].add(entityId);
  }
  return missing;
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
): ReadonlyMap<string, ReadOfDifference> {
  const reads = new Map<string, ReadOfDifference>();
  for (const difference of differences) {
    const { key, type, entityId } = difference;
    const kind = MISSING[type];
    const answer = kind && answers[kind].get(entityId);
    if (typeof answer === 'string') reads.set(key, answer);
    // The platform names the very release that UPC or recordings show to be the same.
    else if (answer && 'movedTo' in answer) reads.set(key, type === 'release_moved' ? 'moved' : 'alive');
    else if (answer) reads.set(key, becameThat(difference, answer.relinkedTo) ? 'gone' : 'relinked');
    // Markets are known only from a reading of the release by itself, which this one was.
    if (type === 'availability_reduced' && observation.kind === 'complete') {
      reads.set(key, directReadOfMarkets(difference, observation.state.releases));
    }
  }
  return reads;
}

/**
 * Releases that are missing, and that the platform credits to other artists alone, as moves. A suspected move stays one while
 * the direct request gives no clear answer.
 */
export function asMoves(
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

function becameThat(difference: Difference, id: string): boolean {
  return difference.type === 'release_replaced' && replacementId(difference) === id;
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
