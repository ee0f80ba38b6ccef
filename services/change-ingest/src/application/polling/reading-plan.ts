import { followUpReading } from '@artist-watch/domain/detection/follow-up-reading';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { DueArtist, ReadingKind } from '@artist-watch/persistence/polling/due-artists';
import { releasesOfReading } from './closer-reading.js';
import type { TurnDepth, Turns } from './deferred-reads.js';
import type { AskOptions, ReadingDepth } from './ports.js';
import { fractionOf, partOf, partsDue, type Rotation } from './rotation.js';

/** How often what only a closer reading shows is read, where nothing else asks for it. */
export interface ReadingRotations {
  /** Label, UPC and tracks of a release. */
  readonly deep: Rotation;
  /** Credits and markets, for which each track is asked for. */
  readonly full: Rotation;
}

/** Whether the plan of this reading needs the artist's catalogue. */
export function needsCatalogue(due: DueArtist, rotations: ReadingRotations, now: Date): boolean {
  if (due.lastCompleteAt === null) return false;
  if (due.closer !== undefined) return true;
  if (due.hasSuspicions || due.digest === null || due.digest.length === 0) return true;
  // An artist has another offset in each rotation, so both are seldom due at the same reading.
  const { id, lastCompleteAt } = due;
  return [rotations.deep, rotations.full].some((rotation) => partsDue(rotation, id, lastCompleteAt, now).size > 0);
}

export interface ReadingPlan {
  readonly depth: ReadingDepth;
  /** What has come up by rotation, now or before, or was never read; the limit may leave some of it for another time. */
  readonly turns: Turns;
}

export interface PlanOptions {
  /** Releases that are read closely at the most. */
  readonly limit: number;
  /** Turns that were not read when they came. */
  readonly deferred: Turns;
  /** Releases that could not be read so often that they wait for their turn. */
  readonly givenUp: ReadonlySet<string>;
  /** The platform's list of releases names the markets of each. */
  readonly listsMarkets: boolean;
}

/**
 * Closer for what is suspected, then for what a closer reading asks for, is due by rotation or was never read, as far as the limit
 * goes; otherwise the list is enough.
 *
 * @param detection null where `needsCatalogue` said no.
 */
export function planReading(
  due: DueArtist,
  detection: ArtistDetection | null,
  rotations: ReadingRotations,
  { limit, deferred, givenUp, listsMarkets }: PlanOptions,
  now: Date,
): ReadingPlan {
  if (detection?.baseline == null) return { depth: 'shallow', turns: deferred };
  const { releases } = detection.baseline;
  const followUp = followUpReading(
    detection.suspicions.map(({ difference }) => difference),
    { releases, listsMarkets },
  );
  const neverRead = idsOf(releases.filter(({ tracks }) => tracks === undefined)).filter((id) => !givenUp.has(id));
  const turns = new Map<string, TurnDepth>([
    ...neverRead.map((id) => [id, 'deep'] as const),
    ...turnsOf(due, idsOf(releases), rotations, deferred, now),
  ]);
  const closer = due.closer === undefined ? [] : releasesOfReading(due.closer, idsOf(releases));
  const full = new Set([
    ...followUp.fullReleaseIds,
    ...(due.closer?.depth === 'full' ? closer : []),
    ...[...turns.keys()].filter((id) => turns.get(id) === 'full'),
  ]);
  const wanted = new Set([
    ...shuffled([...followUp.fullReleaseIds, ...followUp.deepReleaseIds], now),
    ...closer,
    ...shuffled([...turns.keys()], now),
  ]);
  if (wanted.size === 0) return { depth: 'shallow', turns };
  const chosen = [...wanted].slice(0, limit);
  const depth = {
    deepReleaseIds: chosen.filter((id) => !full.has(id)),
    fullReleaseIds: chosen.filter((id) => full.has(id)),
  };
  return { depth, turns };
}

function turnsOf(
  { id, lastCompleteAt }: DueArtist,
  releaseIds: readonly string[],
  rotations: ReadingRotations,
  deferred: Turns,
  now: Date,
): Turns {
  const turns = new Map<string, TurnDepth>();
  const take = (depth: TurnDepth, rotation: Rotation) => {
    const parts = partsDue(rotation, id, lastCompleteAt, now);
    for (const releaseId of releaseIds) {
      if (deferred.get(releaseId) === depth || parts.has(partOf(rotation, releaseId))) turns.set(releaseId, depth);
    }
  };
  take('deep', rotations.deep);
  take('full', rotations.full);
  return turns;
}

export function urgencyOf(kind: ReadingKind, { rank = 1 }: DueArtist): AskOptions['urgency'] {
  switch (kind) {
    case 'usual':
      return 'due';
    case 'first':
      // A crowd of one account keeps the lists of others waiting no more than a single artist does.
      return rank === 1 ? 'due' : 'close';
    case 'learning':
      return 'close';
    case 'closer':
      return 'spare';
  }
}

export function releasesReadClosely(depth: ReadingDepth): readonly string[] {
  return depth === 'shallow' ? [] : [...depth.deepReleaseIds, ...depth.fullReleaseIds];
}

function idsOf(releases: readonly { readonly platformId: string }[]): string[] {
  return releases.map(({ platformId }) => platformId);
}

/** In another order each time, so that where the limit cuts, none is left out for ever. */
function shuffled(ids: readonly string[], now: Date): string[] {
  const places = new Map(ids.map((id) => [id, fractionOf(`${id} ${now.getTime()}`)]));
  return ids.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}
