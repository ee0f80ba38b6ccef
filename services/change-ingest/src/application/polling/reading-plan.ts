import { followUpReading } from '@artist-watch/domain/detection/follow-up-reading';
import type { ArtistDetection } from '../detection/artist-record.js';
import type { DueArtist, ReadingDepth } from './ports.js';
import { type Rotation, sliceOf, slicesDue } from './rotation.js';

/** How often what only a closer look tells is looked at, where nothing else asks for it. */
export interface ReadingRotations {
  /** Label, UPC and tracks of a release. */
  readonly deep: Rotation;
  /** Credits and markets, for which each track is asked for. */
  readonly full: Rotation;
}

/** What a single reading catches up of releases whose tracks were never read. */
const MAX_UNREAD = 50;

/** Whether it takes the artist's catalogue to say how closely it is read this time. */
export function needsCatalogue(due: DueArtist, rotations: ReadingRotations, now: Date): boolean {
  if (due.lastCompleteAt === null) return false;
  if (due.hasSuspicions || due.digest === null || due.digest.length === 0) return true;
  return slicesDue(rotations.deep, due.id, due.lastCompleteAt, now).size > 0;
}

/**
 * Closer for what is suspected, what is due by rotation, and what was never read; otherwise the list is enough.
 *
 * @param detection null where `needsCatalogue` said no.
 */
export function planReading(
  due: DueArtist,
  detection: ArtistDetection | null,
  rotations: ReadingRotations,
  now: Date,
): ReadingDepth {
  if (detection?.baseline == null) return 'shallow';
  const followUp = followUpReading(detection.suspicions.map(({ difference }) => difference));
  const full = new Set(followUp.fullReleaseIds);
  const deep = new Set(followUp.deepReleaseIds);
  const deepSlices = slicesDue(rotations.deep, due.id, due.lastCompleteAt, now);
  const fullSlices = slicesDue(rotations.full, due.id, due.lastCompleteAt, now);
  let unread = 0;
  for (const { platformId, tracks } of detection.baseline.releases) {
    if (fullSlices.has(sliceOf(rotations.full, platformId))) full.add(platformId);
    else if (deepSlices.has(sliceOf(rotations.deep, platformId))) deep.add(platformId);
    else if (tracks === undefined && unread < MAX_UNREAD) {
      unread += 1;
      deep.add(platformId);
    }
  }
  if (deep.size + full.size === 0) return 'shallow';
  return { deepReleaseIds: [...deep].filter((id) => !full.has(id)), fullReleaseIds: [...full] };
}
