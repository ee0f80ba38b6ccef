import { followUpReading } from '@artist-watch/domain/detection/follow-up-reading';
import type { ArtistDetection } from '../detection/artist-record.js';
import type { DueArtist, ReadingDepth } from './ports.js';
import { fractionOf, type Rotation, sliceOf, slicesDue } from './rotation.js';

/** How often what only a closer look tells is looked at, where nothing else asks for it. */
export interface ReadingRotations {
  /** Label, UPC and tracks of a release. */
  readonly deep: Rotation;
  /** Credits and markets, for which each track is asked for. */
  readonly full: Rotation;
}

/** Whether it takes the artist's catalogue to say how closely it is read this time. */
export function needsCatalogue(due: DueArtist, rotations: ReadingRotations, now: Date): boolean {
  if (due.lastCompleteAt === null) return false;
  if (due.hasSuspicions || due.digest === null || due.digest.length === 0) return true;
  // The wheels stand at different angles: what comes up on one of them seldom does at the same reading on the other.
  const { id, lastCompleteAt } = due;
  return [rotations.deep, rotations.full].some((wheel) => slicesDue(wheel, id, lastCompleteAt, now).size > 0);
}

/**
 * Closer for what is suspected, what is due by rotation, and what was never read, in this order as far as the limit
 * goes; otherwise the list is enough.
 *
 * @param detection null where `needsCatalogue` said no.
 * @param limit releases that are read closely at the most.
 */
export function planReading(
  due: DueArtist,
  detection: ArtistDetection | null,
  rotations: ReadingRotations,
  limit: number,
  now: Date,
): ReadingDepth {
  if (detection?.baseline == null) return 'shallow';
  const followUp = followUpReading(detection.suspicions.map(({ difference }) => difference));
  const { releases } = detection.baseline;
  const inSlices = (rotation: Rotation) => {
    const slices = slicesDue(rotation, due.id, due.lastCompleteAt, now);
    return idsOf(releases.filter(({ platformId }) => slices.has(sliceOf(rotation, platformId))));
  };
  const full = new Set([...followUp.fullReleaseIds, ...inSlices(rotations.full)]);
  const wanted = new Set([
    ...shuffled([...followUp.fullReleaseIds, ...followUp.deepReleaseIds], now),
    ...shuffled([...inSlices(rotations.full), ...inSlices(rotations.deep)], now),
    ...shuffled(idsOf(releases.filter(({ tracks }) => tracks === undefined)), now),
  ]);
  if (wanted.size === 0) return 'shallow';
  const chosen = [...wanted].slice(0, limit);
  return {
    deepReleaseIds: chosen.filter((id) => !full.has(id)),
    fullReleaseIds: chosen.filter((id) => full.has(id)),
  };
}

export function releasesReadClosely(depth: ReadingDepth): number {
  return depth === 'shallow' ? 0 : depth.deepReleaseIds.length + depth.fullReleaseIds.length;
}

function idsOf(releases: readonly { readonly platformId: string }[]): string[] {
  return releases.map(({ platformId }) => platformId);
}

/** In another order each time, so that where the limit cuts, none is left out for ever. */
function shuffled(ids: readonly string[], now: Date): string[] {
  const places = new Map(ids.map((id) => [id, fractionOf(`${id} ${now.getTime()}`)]));
  return ids.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}
