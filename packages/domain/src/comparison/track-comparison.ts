import type { ReleaseState, TrackState } from '../catalogue.js';
import { type Difference, type JsonValue, makeDifference } from '../change/difference.js';
import { TRACK_FIELDS } from './compared-fields.js';
import { pairByMark, revealedMembers } from './pairing.js';
import { foldText, ISRC } from './value-identity.js';

export function compareTracks(before: ReleaseState, after: ReleaseState): readonly Difference[] {
  if (before.tracks === undefined || after.tracks === undefined) return NONE;
  const differences: Difference[] = [];
  const release = { platformId: before.platformId, name: before.title ?? after.title };

  if (areAligned(before.tracks, after.tracks)) {
    for (let index = 0; index < before.tracks.length; index += 1) {
      const [was, is] = [before.tracks[index], after.tracks[index]];
      if (was && is) compareFields(release, was, is, differences);
    }
    return differences;
  }

  const observed = new Map(after.tracks.map((track) => [track.platformId, track]));
  const known = new Set(before.tracks.map((track) => track.platformId));
  const gone: TrackState[] = [];
  for (const track of before.tracks) {
    const is = observed.get(track.platformId);
    if (is === undefined) gone.push(track);
    else compareFields(release, track, is, differences);
  }
  const { revealed } = revealedTracks(before, after);
  const added = after.tracks.filter((track) => !known.has(track.platformId) && !revealed.includes(track));
  compareMembers(release, gone, added, differences);
  return differences;
}

export function revealedTracks(before: ReleaseState, after: ReleaseState) {
  const listed = ({ tracks = [], unknownTracks = 0 }: ReleaseState) => ({ members: tracks, unknown: unknownTracks });
  return revealedMembers<TrackState>(listed(before), listed(after));
}

const NONE: readonly Difference[] = [];

interface ReleaseReference {
  readonly platformId: string;
  readonly name: string | undefined;
}

function areAligned(before: readonly TrackState[], after: readonly TrackState[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((track, index) => track.platformId === after[index]?.platformId);
}

function compareFields(release: ReleaseReference, was: TrackState, is: TrackState, found: Difference[]): void {
  for (const field of TRACK_FIELDS) {
    const difference = field.difference(was, is);
    if (difference === null) continue;
    const entityName = was.title ?? is.title;
    found.push(makeDifference({ type: field.type, entityId: was.platformId, entityName, release, ...difference }));
  }
}

/** Reports a removed and an added track as a replacement if they have the same ISRC, or the same title and position. */
function compareMembers(
  release: ReleaseReference,
  gone: readonly TrackState[],
  added: readonly TrackState[],
  found: Difference[],
): void {
  const byIsrc = pairByMark(gone, added, (track) => (track.isrc ? ISRC.canonical(track.isrc) : undefined));
  const byPlace = pairByMark(byIsrc.gone, byIsrc.added, positionAndTitle);

  for (const [was, is] of [...byIsrc.pairs, ...byPlace.pairs]) {
    found.push(
      makeDifference({
        type: 'track_replaced',
        entityId: was.platformId,
        entityName: was.title ?? is.title,
        release,
        before: described(was),
        after: described(is),
        became: is.platformId,
      }),
    );
  }
  for (const track of byPlace.gone) {
    const parts = { entityId: track.platformId, entityName: track.title, release };
    found.push(makeDifference({ type: 'track_removed', ...parts, before: described(track) }));
  }
  for (const track of byPlace.added) {
    const parts = { entityId: track.platformId, entityName: track.title, release };
    found.push(makeDifference({ type: 'track_added', ...parts, after: described(track) }));
  }
}

function positionAndTitle(track: TrackState): string | undefined {
  const title = track.title === undefined ? '' : foldText(track.title);
  return track.position === undefined || title === '' ? undefined : `${track.position} ${title}`;
}

function described({ platformId, title, isrc, position }: TrackState): JsonValue {
  return { platformId, title: title ?? null, isrc: isrc ?? null, position: position ?? null };
}
